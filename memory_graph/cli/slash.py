"""What can be asked of a chat besides a reply?"""

from collections.abc import Awaitable, Callable

from memory_graph import clock
from memory_graph.cli.changing import show_forgotten
from memory_graph.cli.conversation import Conversation
from memory_graph.cli.tables import show_episodes, show_facts
from memory_graph.cli.why import show_entries
from memory_graph.errors import MemoryGraphError
from memory_graph.steps.forget import forget
from memory_graph.steps.lookup import entries_about, find_memory

HELP = """  /memories     what is remembered about you
  /why [ID]     why: the decisions of the last turn, or those about one memory
  /forget ID    forget one memory
  /quit         leave"""


async def run_slash_command(conversation: Conversation, line: str) -> bool:
    """Run a command typed in a chat; return whether the chat goes on."""
    name, _, rest = line.partition(" ")
    if name in {"/quit", "/exit"}:
        return False
    command = COMMANDS.get(name)
    if command is None:
        conversation.show.line(f"No command {name}. These there are:")
        command = _help
    try:
        await command(conversation, rest.strip())
    except MemoryGraphError as error:
        conversation.show.line(str(error), "bad")
    return True


async def _help(conversation: Conversation, _: str) -> None:
    conversation.show.line(HELP)


async def _memories(conversation: Conversation, _: str) -> None:
    memory = conversation.memory
    zone = conversation.context.zone
    show_facts(conversation.show, await memory.facts.at(clock.utc_now()), zone)
    show_episodes(conversation.show, await memory.episodes.recent(50))


async def _why(conversation: Conversation, given: str) -> None:
    if given:
        memory_id, entries = await entries_about(conversation.memory, given)
        show_entries(conversation.show, memory_id, entries, conversation.context.zone)
        return
    for line in conversation.last_decisions or ["nothing was decided yet"]:
        conversation.show.line(f"  · {line}")


async def _forget(conversation: Conversation, given: str) -> None:
    if not given:
        conversation.show.line("Say which: /forget ID")
        return
    record = await find_memory(conversation.memory, given)
    show_forgotten(conversation.show, await forget(conversation.memory, record, clock.utc_now()))


SlashCommand = Callable[[Conversation, str], Awaitable[None]]
COMMANDS: dict[str, SlashCommand] = {
    "/forget": _forget,
    "/help": _help,
    "/memories": _memories,
    "/why": _why,
}
