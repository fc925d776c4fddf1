"""The stable part of memory in a prompt: who the user is, and how they want the agent to work."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from memory_graph.facts.shelves import SHELVES, shelf_of
from memory_graph.facts.timeline import is_forgotten, said_at
from memory_graph.policies import ProfilePolicy
from memory_graph.records import Fact, FactVersion, Instruction
from memory_graph.safety.secrets import escape_for_prompt
from memory_graph.store.scope import UserMemory

_MANY = 60  # facts of the profile that are looked at: a limit


@dataclass(frozen=True)
class Stable:
    """What every message of a thread is sent with."""

    text: str = ""
    tokens: int = 0


async def stable_part(  # noqa: PLR0913 — whose, when, and how much of it
    memory: UserMemory,
    policy: ProfilePolicy,
    *,
    since: datetime,
    now: datetime,
    count: Callable[[str], int],
    documents: Sequence[str] = (),
) -> Stable:
    """Return the user's wishes in force, and their profile as it was when the thread began.

    What they said since then stands in the thread, so the text stays the same while they talk,
    and the provider's prompt cache holds. What was forgotten or corrected by hand is gone at once.
    """
    wishes = [each for each in await memory.instructions.in_force(now.date()) if each.is_global]
    known = await memory.facts.on_shelves(_MANY)
    profile = _profile(known, since, policy, count)
    filled = [await _document(memory, each, policy, count) for each in documents]
    text = "\n\n".join(filter(None, (_wishes(wishes, policy, count), profile, *filled)))
    return Stable(text, count(text) if text else 0)


def _wishes(
    wishes: Sequence[Instruction], policy: ProfilePolicy, count: Callable[[str], int]
) -> str:
    """Return the wishes within their budget, the latest first; say how many are left out."""
    kept, left = list[str](), policy.instruction_tokens
    for wish in wishes[: policy.instructions]:
        line = f"- {escape_for_prompt(wish.wish)}"
        left -= count(line) + 1
        if left < 0:
            break
        kept.append(line)
    if missing := len(wishes) - len(kept):
        kept.append(f"- ({missing} older wishes are left out.)")
    heading = "How the user wants you to answer, unless their message or the above says otherwise:"
    return "\n".join([heading, *kept]) if kept else ""


async def _document(
    memory: UserMemory, name: str, policy: ProfilePolicy, count: Callable[[str], int]
) -> str:
    """Return what is known of a document that the product shows always, by its fields."""
    prefix, heading = f"document:{name}:", f"{name}:"
    kept, left = list[str](), policy.tokens - count(heading)
    for fact in await memory.facts.current():
        if not (fact.key or "").startswith(prefix):
            continue
        field = (fact.key or "").removeprefix(prefix).partition(":")[0]
        line = f"- {field}: {escape_for_prompt(fact.value or '')}"
        left -= count(line) + 1
        if left >= 0:
            kept.append(line)
    return "\n".join([heading, *sorted(kept)]) if kept else ""


def _profile(
    facts: Iterable[Fact], since: datetime, policy: ProfilePolicy, count: Callable[[str], int]
) -> str:
    heading = "Who the user is:"
    kept, left = list[str](), policy.tokens - count(heading) - 1
    for statement in statements_at(facts, since):
        line = f"- {escape_for_prompt(statement)}"
        cost = count(line) + 1
        if cost <= left:
            kept.append(line)
            left -= cost
    return "\n".join([heading, *kept]) if kept else ""


def statements_at(facts: Iterable[Fact], moment: datetime) -> list[str]:
    """Return who somebody was known to be: one line of each kind, the newest, then the second."""
    shelves: dict[str, list[tuple[datetime, str]]] = {name: [] for name in SHELVES}
    for fact in facts:
        shelf = shelf_of(fact)
        if shelf and (version := _known_at(fact, moment)):
            shelves[shelf].append((said_at(version), version.statement))
    ordered = [[text for _, text in sorted(each, reverse=True)] for each in shelves.values()]
    rows = zip_longest(*ordered)
    return list(dict.fromkeys(text for row in rows for text in row if text))


def _known_at(fact: Fact, moment: datetime) -> Fact | FactVersion | None:
    """Return what a fact said at a moment, if anything; what was taken back since is not told."""
    if fact.was_wrong or is_forgotten(fact):
        return None
    if fact.by_hand:
        return fact if fact.valid_to is None else None
    versions: list[Fact | FactVersion] = [*fact.history, fact]
    known = [each for each in versions if said_at(each) <= moment and each.valid_from <= moment]
    held = known[-1] if known else None
    return held if held and (held is not fact or fact.valid_to is None) else None
