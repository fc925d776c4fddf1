"""The reply where no model is set: what memory holds, that it noted something, or small talk."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.language.frames import Frames, frames_for
from memory_graph.language.requests import means_everything, to_forget
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import language_of
from memory_graph.offline.answers import Voice, answer, lines_of, tell_rules
from memory_graph.state import OffNote, PartNote, RecallNote, ThreadNote
from memory_graph.store.owner import run_context
from memory_graph.store.scope import UserMemory, open_memory

_HEARD = 4
"""Messages by whose language one is answered that shows none of its own: `Kaltmiete 890`."""


async def offline_reply(
    state: Mapping[str, object], runtime: Runtime[Context], config: RunnableConfig
) -> str:
    """Return what is said to the user's last message without a model."""
    messages = cast(Sequence[AnyMessage], state["messages"])
    if off := cast("ThreadNote", state.get("memory_graph") or {}).get("off"):
        return _off(off, messages)
    note = cast(RecallNote, state.get("memory_recall") or {})
    last, language = _language(messages)
    frames = frames_for(language)
    if (asked := to_forget(last)) is not None:
        reply = _forgotten(state, asked, frames)
    elif note.get("asks"):
        context = run_context(runtime, config)
        voice = Voice(language, context.zone, clock.utc_now(), last)
        memory = open_memory(runtime, config)
        told = [await _told(each, memory, voice) for each in note.get("parts") or []]
        reply = _answered(note, told, frames)
    else:
        reply = _acknowledged(state, note, last, frames)
    is_first = not any(isinstance(each, AIMessage) for each in messages)
    return f"{frames['start']} {reply}" if is_first else reply


async def _told(part: PartNote, memory: UserMemory, voice: Voice) -> list[str]:
    if part["kind"] == "rules":
        return await tell_rules(memory, voice)
    return await answer(part, await lines_of(memory, part["lines"]), voice)


def _off(note: OffNote, messages: Sequence[AnyMessage]) -> str:
    """Return why memory is off: in full once in a thread, then that it still is."""
    said = (str(each.text) for each in messages if isinstance(each, AIMessage))
    is_known = any(note["fix"] in each for each in said)
    return "Memory is off." if is_known else note["fix"]


def _language(messages: Sequence[AnyMessage]) -> tuple[str, str]:
    """Return the last message, and the language in which it begins, else that of those before."""
    heard: Iterator[str] = (
        str(each.text) for each in reversed(messages) if isinstance(each, HumanMessage)
    )
    last, *before = [*islice(heard, _HEARD + 1), ""]
    spoken = language_of(last, language_of(" ".join(reversed(before))))
    first = next(iter(split_sentences(last)), "")
    return last, language_of(first, spoken)


def _forgotten(state: Mapping[str, object], asked: str, frames: Frames) -> str:
    decisions = cast("Sequence[Mapping[str, object]]", state.get("memory_decisions") or ())
    if any(each["action"] == "retract" for each in decisions):
        return frames["forgotten"]
    return frames["forget_all" if means_everything(asked) else "nothing_to_forget"]


def _answered(note: RecallNote, told: Sequence[Sequence[str]], frames: Frames) -> str:
    words = " ".join(dict.fromkeys(chain(*told)))
    if not words or note.get("found") == "none":
        return frames["unknown"]
    if note.get("found") == "weak":
        return frames.unsure(words)
    return words if all(told) else f"{words} {frames['rest']}"


def _acknowledged(state: Mapping[str, object], note: RecallNote, last: str, frames: Frames) -> str:
    """Say that something was noted, where something was; else only what is polite."""
    if state.get("memory_noted"):
        return frames["noted"]
    if not last.strip():
        return frames["fine"]
    does = note.get("does", "tells")
    if does == "requests":
        return frames["start"]
    return frames["noted"] if does == "tells" else frames.aside(last)
