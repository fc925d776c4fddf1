"""All of a user's memory as one Markdown document."""

import re

from memory_graph.records import FACT_CATEGORIES, Episode, Fact, Pattern
from memory_graph.server.inspector.site import Visit
from memory_graph.server.inspector.wording import fact_sentence, say, say_or, visible

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


async def as_markdown(visit: Visit) -> str:
    """Return facts by category with their history, episodes by day, patterns, own words."""
    facts = await visit.memory.afacts()
    episodes = sorted(await visit.scope.episodes.all(), key=lambda each: each.started_at)
    patterns = await visit.memory.apatterns()
    lines = [f"# {say('start.title', user=_plain(visit.user))}", ""]
    for category in FACT_CATEGORIES:
        held = [fact for fact in facts if fact.category == category]
        if held:
            lines += [f"## {say_or(f'category.{category}', category)}", ""]
            lines += [line for fact in held for line in _fact(fact, visit)] + [""]
    lines += _section("nav.episodes", [_episode(each) for each in episodes])
    lines += _section("nav.patterns", [_pattern(each) for each in patterns])
    return "\n".join(lines).rstrip() + "\n"


def _section(name: str, lines: list[str]) -> list[str]:
    return [f"## {say(name)}", "", *lines, ""] if lines else []


def _fact(fact: Fact, visit: Visit) -> list[str]:
    days = visit.days
    since = say("common.since_day", day=days.local(fact.valid_from))
    lines = [f"- {_plain(fact_sentence(fact))} {since}"]
    for each in reversed(fact.history):
        until = days.local(each.valid_to) if each.valid_to else ""
        lines.append(
            f"  - {say('common.was')}: {_plain(fact_sentence(each))} "
            f"({days.local(each.valid_from)} – {until})"
        )
    return lines


def _episode(episode: Episode) -> str:
    outcome = say(f"outcome.{episode.outcome}")
    return f"- {episode.date_iso}: {_plain(episode.summary)} ({outcome})"


def _pattern(pattern: Pattern) -> str:
    advice = say("patterns.avoid" if pattern.kind == "antipattern" else "patterns.do")
    worked = say("patterns.worked", successes=pattern.successes, occurrences=pattern.occurrences)
    when = f"{say('patterns.when')} {_plain(pattern.trigger)}, {advice}: {_plain(pattern.action)}"
    return f"- {when} ({worked}, {pattern.status})"


def _plain(text: str) -> str:
    """Return text on one line that no reader of Markdown takes for markup."""
    return _MARKUP.sub(r"\\\1", " ".join(visible(text).split()))
