"""What the user asks to forget: facts that its words name end, and nothing tells of them."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.facts.timeline import is_forgotten
from memory_graph.language.requests import to_forget, words_about_forgetting
from memory_graph.language.words import language_of, words_of
from memory_graph.records import Fact, MemoryDecision, TurnRecord
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory

_REASON = re.compile(r"[,;:(–—]| - |\s(?:because|since|weil|porque|parce que|perché)\s")


def requests_in(sentences: Iterable[str]) -> list[str]:
    """Return the sentences that ask to forget something."""
    return [each for each in sentences if to_forget(each) is not None]


def facts_to_forget(request: str, known: Sequence[Fact], turns: Sequence[TurnRecord]) -> list[Fact]:
    """Return the facts that a request to forget names, whether they hold or not.

    By their own words, or by those that told them where the request has their value, too: what
    rules say of `Ich wohne in Hamburg` is in English.
    """
    named = {
        message_id
        for turn in turns
        if _names(request, turn.text, language_of(turn.text))
        for message_id in turn.source.message_ids
    }
    wanted = _wanted(request, language_of(request))
    found: list[Fact] = []
    for fact in known:
        told = [
            f"{fact.statement} {fact.attribute or ''} {fact.value or ''}",
            *(each.statement for each in fact.history),
        ]
        value = {*words_of(fact.value or "", language_of(request))}
        has_value = (
            bool(value) and value <= wanted and not named.isdisjoint(fact.source.message_ids)
        )
        if has_value or any(_names(request, e, language_of(fact.statement)) for e in told):
            found.append(fact)
    return found


async def silence(
    memory: UserMemory, requests: Sequence[str], changed: Iterable[Fact], at: datetime
) -> tuple[list[MemoryDecision], list[PutOp]]:
    """Return what happens to the rest that tells what is to be forgotten.

    Episodes that name it go. The words that told it stay, and are not found any more.
    """
    forgotten = [fact for fact in changed if is_forgotten(fact)]
    versions = [version for fact in forgotten for version in fact.history]
    sources = [fact.source for fact in forgotten] + [version.source for version in versions]
    messages = {message_id for source in sources for message_id in source.message_ids}

    def is_named(text: str) -> bool:
        return any(_names(request, text, language_of(text)) for request in requests)

    silenced = [
        turn.model_copy(update={"echoes": True})
        for turn in await memory.turns.all()
        if not turn.echoes and (messages & {*turn.source.message_ids} or is_named(turn.text))
    ]
    told = memory.episodes.kind.text
    gone = [each for each in await memory.episodes.all() if is_named(told(each))]
    puts = await memory.turns.puts(silenced, at) if silenced else []
    puts += memory.episodes.deletions(each.id for each in gone)
    evicted = [decision_for("evict", "told_what_to_forget", before=e, after=None) for e in gone]
    evicted += [
        MemoryDecision(
            kind="turn", action="retract", reason="told_what_to_forget", memory_id=each.id
        )
        for each in silenced
    ]
    return evicted, puts


def _names(request: str, text: str, language: str) -> bool:
    """Say whether a text says all that a request to forget speaks of."""
    wanted = _wanted(request, language)
    return bool(wanted) and wanted <= {*words_of(text, language)}


def _wanted(request: str, language: str) -> set[str]:
    """Return the words of what is to be forgotten, without why."""
    asked = _REASON.split(to_forget(request) or request)[0]
    return {*words_of(asked, language)} - words_about_forgetting()
