"""What each page of the inspector shows."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import get_args

from starlette.responses import PlainTextResponse, Response

from memory_graph.curation.audit import AuditReport
from memory_graph.curation.forget import BEYOND_REACH, told_in
from memory_graph.curation.lookup import find_by_id
from memory_graph.curation.page import Notes
from memory_graph.episodes.rendering import causal_links
from memory_graph.episodes.store import RELEVANT
from memory_graph.errors import RecordNotFoundError
from memory_graph.facts.direct import restated
from memory_graph.recall.block import Recollection
from memory_graph.records import Considered, Episode, Fact, Outcome, TurnRecord
from memory_graph.server.inspector import cards, charts, wording
from memory_graph.server.inspector.cards import Card, episode_card, fact_card
from memory_graph.server.inspector.site import Page, Show, Visit
from memory_graph.server.inspector.wording import count, fact_sentence, fact_value, say, shown
from memory_graph.settings import get_settings
from memory_graph.store.changes import Memory as Remembered
from memory_graph.transfer.imports import Incoming

_PER_SECTION = 12
"""Facts about one person or thing on the first page."""

_PER_PAGE = 60
_TIMELINE = 8
"""Episodes on the first page."""

_EPISODES_PER_PAGE = 40
_TURNS_PER_PAGE = 20
_LEFT_OUT = 10
_EXAMPLES = 3
_AUDITED_AT_ONCE = 1000
"""Up to this many facts and episodes, every visit runs the audit; above, only on request."""


async def show_start(visit: Visit) -> Page:
    """Show a person's memory in a form that people can read."""
    if text := visit.asked("q"):
        return await _found(visit, text)
    on, about = _day(visit.asked("on")), visit.asked("about")
    facts = await (visit.memory.aas_of(on) if on else cards.all_of(visit.scope.facts))
    current = [fact for fact in facts if on or fact.valid_to is None]
    current.sort(key=lambda fact: (fact.importance, fact.updated_at, fact.id), reverse=True)
    ended = [] if on else [fact for fact in facts if fact.valid_to is not None]
    episodes = await cards.all_of(visit.scope.episodes)
    patterns = await cards.all_of(visit.scope.patterns)
    latest = sorted(episodes, key=lambda each: each.ended_at, reverse=True)
    page = visit.page_number()
    sections = _sections(await visit.memory.apage(current), about, page)
    total = sum(section["total"] for section in sections)
    wishes = [] if on or about else await visit.memory.ainstructions()
    is_empty = not (facts or episodes or patterns or wishes)
    data: dict[str, object] = {
        "user": visit.user,
        "is_empty": is_empty,
        "summary": ""
        if on
        else _summary(visit, [*current, *ended], episodes, len(current), len(patterns)),
        "q": "",
        "wishes": [{"id": e.id, "wish": e.wish, "when": e.when, "until": e.until} for e in wishes],
        "on": on,
        "about": about,
        "sections": sections,
        "page": page,
        "pages": -(-total // _PER_PAGE) if about else 1,
        "happened": [] if about or on else cards.by_day(latest[:_TIMELINE]),
        "ended": [] if about else [fact_card(fact) for fact in ended[:_PER_SECTION]],
        "ended_total": len(ended),
    }
    return _start(visit, data, is_empty=is_empty)


def _start(visit: Visit, data: dict[str, object], *, is_empty: bool = False) -> Page:
    about = data["about"]
    return Page(
        template="start.html",
        title=say("start.title_empty" if is_empty else "start.title"),
        place="start",
        data=data,
        command=("memories", "list"),
        view={"about_page": lambda page: visit.url("/", about=about, page=page)},
    )


async def _found(visit: Visit, text: str) -> Page:
    searched = await visit.memory.asearch(text, limit=_PER_SECTION)
    found = [each.record for each in searched if each.words or each.relevance >= RELEVANT]
    data: dict[str, object] = {
        "user": visit.user,
        "is_empty": False,
        "summary": "",
        "q": text,
        "on": None,
        "about": "",
        "found": [fact_card(each) for each in found if isinstance(each, Fact)],
        "found_episodes": [episode_card(each) for each in found if isinstance(each, Episode)],
    }
    return replace(_start(visit, data), command=("memories", "search", text))


def _sections(page: Sequence[Notes], about: str, number: int) -> list[Card]:
    """Return what is known by whom it is about; all of one, or the first of each."""
    found: list[Card] = []
    for notes in page:
        if about not in {"", notes.about}:
            continue
        start, most = ((number - 1) * _PER_PAGE, _PER_PAGE) if about else (0, _PER_SECTION)
        held = notes.notes[start : start + most]
        shown = [{**fact_card(note.fact), "said": note.said[-1:]} for note in held]
        found.append(
            {
                "about": notes.about,
                "title": notes.title,
                "total": len(notes.notes),
                "cards": sorted(shown, key=lambda card: card["is_sentence"]),
            }
        )
    return found


def _summary(
    visit: Visit, facts: Sequence[Fact], episodes: Sequence[Episode], current: int, patterns: int
) -> str:
    moments = [fact.created_at for fact in facts] + [each.started_at for each in episodes]
    counts = {
        "facts": count("facts", current),
        "episodes": count("episodes", len(episodes)),
        "patterns": count("patterns", patterns),
    }
    if not moments:
        return say("start.counts", **counts)
    return say("start.counts_since", **counts, day=visit.days.day(min(moments)))


def _day(text: str) -> date | None:
    """Return a day of the address.

    Raises:
        ValueError: If it is none.
    """
    return date.fromisoformat(text) if text else None


async def show_fact(visit: Visit) -> Page:
    """Show one fact: its line in time, its reasons, and the words it came from."""
    fact = await visit.memory.aget(visit.request.path_params["id"])
    if not isinstance(fact, Fact):
        raise RecordNotFoundError("fact", fact.id)
    on = _day(visit.asked("on"))
    then = next((f for f in await visit.memory.aas_of(on) if f.id == fact.id), None) if on else None
    line = charts.value_line(fact, visit.now)
    history = await visit.memory.ahistory(fact.id)
    data: dict[str, object] = {
        "fact": fact,
        "label": wording.fact_label(fact),
        "value": fact_value(fact),
        "sentence": fact_sentence(fact),
        "said_at": fact.said_at,
        "has_plain_value": restated(fact, fact.value or "") is not None,
        "versions": [
            {
                "value": fact_value(each),
                "valid_from": each.valid_from,
                "valid_to": each.valid_to,
                "said_at": each.said_at or each.valid_from,
            }
            for each in reversed(history)
        ],
        "on": on,
        "then": fact_sentence(then) if then else None,
        "words": await cards.words_of(visit, fact),
        "decisions": cards.decision_cards((await visit.memory.awhy(fact.id)).entries, fact.id),
    }
    label = "; ".join(f"{span['value']}, {visit.days.day(span['start'])}" for span in line)
    return Page(
        template="fact.html",
        title=shown(fact_value(fact), 80),
        place="start",
        data=data,
        command=("why", fact.id),
        view={"line": line, "line_label": label},
    )


async def ask_to_forget(visit: Visit) -> Page:
    """Show what would be deleted with a memory, and what would stay."""
    record = await visit.memory.aget(visit.request.path_params["id"])
    also = await visit.scope.episodes.find(await told_in(visit.scope, record))
    kind = "facts" if isinstance(record, Fact) else "episodes"
    return Page(
        template="forget.html",
        title=say("forget.title"),
        place="start" if kind == "facts" else "episodes",
        data={
            "id": record.id,
            "text": cards.text_of(record),
            "words": await cards.words_of(visit, record),
            "entries": len(await visit.scope.ledger.about(record.id)),
            "also": [episode_card(each) for each in also.values()],
            "beyond_reach": BEYOND_REACH,
        },
        command=("memories", "forget", record.id),
        view={
            "action_address": visit.record_url(kind, record.id, "forget"),
            "back": visit.record_url(kind, record.id),
        },
    )


async def show_recall(visit: Visit) -> Page:
    """Show the exact text a model would be given for a message, and why."""
    text = visit.asked("q")
    if not text:
        return Page(
            place="recall",
            data={"q": ""},
        )
    started = time.perf_counter()
    told = await visit.memory.arecall(text, explain=True)
    spent = (time.perf_counter() - started) * 1000
    most = max((sum(each.parts.values()) for each in told.considered), default=1.0) or 1.0
    hits = [_hit(visit, each, told.records[each.memory_id], most) for each in told.considered]
    return Page(
        place="recall",
        data={
            "q": text,
            "block": told.block,
            "profile": told.profile,
            "trace": told.trace.model_copy(update={"considered": ()}),
            "window": _window(visit, told),
            "budget": visit.context.policies.recall.token_budget,
            "milliseconds": round(spent, 1),
            "shown_hits": [hit for hit in hits if hit["fate"] == "shown"],
            "left_out": [hit for hit in hits if hit["fate"] != "shown"][:_LEFT_OUT],
        },
        command=("memories", "recall", text),
        view={"legend": charts.legend(hit["bar"] for hit in hits)},
    )


def _hit(
    visit: Visit, looked_at: Considered, record: Fact | Episode | TurnRecord, most: float
) -> Card:
    """Return a memory that recall looked at, and its fate."""
    if isinstance(record, Fact):
        at = record.valid_from
    else:
        at = record.ended_at if isinstance(record, Episode) else record.said_at
    return {
        **looked_at.model_dump(include={"memory_id", "kind", "fate", "relevance", "parts"}),
        "text": cards.text_of(record),
        "at": at,
        "bar": charts.signal_bar(looked_at.parts, most),
        "address": cards.address_of(visit, record),
    }


def _window(visit: Visit, told: Recollection) -> str | None:
    phrase = told.recalled.asked.phrase
    if phrase is None:
        return None
    bounds = [visit.days.moment(each) for each in (phrase.start, phrase.end) if each]
    return f"{phrase.phrase}: {' – '.join(bounds)}"


async def show_turns(visit: Visit) -> Page:
    """Show the latest turns with their receipts."""
    page = visit.page_number()
    start = (page - 1) * _TURNS_PER_PAGE
    reports = await visit.memory.aturns(limit=_TURNS_PER_PAGE + 1, offset=start)
    has_more = len(reports) > _TURNS_PER_PAGE
    turns = [cards.turn_card(visit, report) for report in reports[:_TURNS_PER_PAGE]]
    timed = [card for card in reversed(turns) if card["milliseconds"] is not None]
    spent = [card["milliseconds"] for card in timed]
    marked = [place for place, card in enumerate(timed) if card["degraded"]]
    return Page(
        place="turns",
        data={"turns": turns, "page": page, "pages": page + has_more},
        command=("memories", "export"),
        view={
            "columns": charts.columns(spent, marked),
            "milliseconds": ", ".join(f"{each:.0f}" for each in spent),
            "highest": f"{max(spent, default=0.0):,.0f}",
            "turn_page": lambda number: visit.url("/turns", page=number),
        },
    )


async def show_episodes(visit: Visit) -> Page:
    """Show what happened, by local day."""
    text, outcome, page = visit.asked("q"), visit.asked("outcome"), visit.page_number()
    if text:
        now = visit.now
        found = await visit.scope.episodes.matching(await visit.scope.query(text, now), _PER_PAGE)
        episodes = [each.record for each in found]
    else:
        episodes = await cards.all_of(visit.scope.episodes)
    fitting = [each for each in episodes if outcome in {"", each.outcome}]
    latest = sorted(fitting, key=lambda each: each.ended_at, reverse=True)
    start = (page - 1) * _EPISODES_PER_PAGE
    return Page(
        place="episodes",
        data={
            "q": text,
            "outcome": outcome,
            "happened": cards.by_day(latest[start : start + _EPISODES_PER_PAGE]),
            "page": page,
            "pages": -(-len(latest) // _EPISODES_PER_PAGE),
        },
        command=("memories", "search", text) if text else ("memories", "list", "--kind", "episode"),
        view={
            "outcomes": get_args(Outcome),
            "episode_page": lambda number: visit.url(
                "/episodes", q=text, outcome=outcome, page=number
            ),
        },
    )


async def show_episode(visit: Visit) -> Page:
    """Show one episode: its story, causes and effects, and its arc."""
    record = await visit.memory.aget(visit.request.path_params["id"])
    if not isinstance(record, Episode):
        raise RecordNotFoundError("episode", record.id)
    facts = await visit.scope.facts.find(link.fact_id for link in record.facts)
    texts = {each.id: each.chosen for each in record.decisions}
    texts |= {each.id: each.content for each in record.events}
    return Page(
        template="episode.html",
        title=shown(record.title, 80),
        place="episodes",
        data={
            "episode": record,
            "day": date.fromisoformat(record.date_iso),
            "chain": [episode_card(each) for each in await _chain(visit, record)],
            "words": await cards.words_of(visit, record),
            "facts": [fact_card(each) for each in facts.values()],
            "links": [
                (texts[cause], texts[effect])
                for cause, effect in causal_links(record)
                if {cause, effect} <= texts.keys()
            ],
            "decisions": cards.decision_cards(
                (await visit.memory.awhy(record.id)).entries, record.id
            ),
        },
        command=("memories", "show", record.id),
        view={"drawing": charts.decision_drawing(record)},
    )


async def _chain(visit: Visit, episode: Episode) -> list[Episode]:
    """Return what led to an episode, the episode, and what continues it."""
    chain = {each.id: each for each in await visit.memory.achain(episode.id)}
    last: Episode | None = episode
    while last is not None:
        later = await visit.scope.episodes.all(where={"parent": last.id})
        last = next((each for each in later if each.id not in chain), None)
        chain |= {each.id: each for each in later}
    return sorted(chain.values(), key=lambda each: (each.started_at, each.id))


async def show_patterns(visit: Visit) -> Page:
    """Show what tends to work, and what does not."""
    patterns = await visit.memory.apatterns()
    confirmed = [each for each in patterns if each.status == "confirmed"]
    groups = {
        "proposed": [each for each in patterns if each.status == "proposed"],
        "works": [each for each in confirmed if each.kind == "pattern"],
        "fails": [each for each in confirmed if each.kind == "antipattern"],
        "rejected": [each for each in patterns if each.status == "rejected"],
    }
    return Page(
        place="patterns",
        data={"total": len(patterns), "groups": list(groups.items())},
        command=("tools", "call", "query_patterns"),
    )


async def show_health(visit: Visit) -> Page:
    """Show what memory holds, what is doubtful in it, and what is due."""
    sizes = await _sizes(visit)
    is_large = sizes.get("facts", 0) + sizes.get("episodes", 0) > _AUDITED_AT_ONCE
    is_audited = not is_large or visit.asked("audit") == "yes"
    report = await visit.memory.aaudit(None if is_audited else Incoming())
    mending = await visit.memory.afix(report)
    upkeep = await visit.memory.amaintain()
    doubtful = [each for finding in report.findings for each in finding.memory_ids]
    known = await find_by_id(visit.scope, doubtful)
    return Page(
        place="health",
        data={
            "sizes": sizes,
            "audited": is_audited,
            "findings": _findings(visit, report, known),
            "total": report.total,
            "junk": report.junk,
            "refused": report.refused,
            "mending": len(mending.decisions),
            "mended": visit.asked("entry"),
            "upkeep": [cards.done_card(visit, each) for each in upkeep],
            "setup": _setup(visit),
            "decided": await _decided(visit),
        },
        command=("audit",),
    )


def _findings(visit: Visit, report: AuditReport, known: Mapping[str, Remembered]) -> list[Card]:
    """Return what is doubtful by kind, the most frequent first, each with some of its memories."""
    rows = []
    for kind, number in sorted(report.counts.items(), key=lambda pair: -pair[1]):
        found = [each for each in report.findings if each.kind == kind][:_EXAMPLES]
        ids = [each.memory_ids[0] for each in found]
        examples = [cards.named_memory(visit, known[each]) for each in ids if each in known]
        rows.append({"kind": kind, "number": number, "examples": examples})
    return [row for row in rows if row["number"]]


def _setup(visit: Visit) -> list[tuple[str, str]]:
    settings, embedder = get_settings(), visit.scope.scope.embedder
    dimensions = say("health.dimensions", number=embedder.dims)
    indexes = visit.scope.scope.indexes.sizes(visit.site.store(), visit.scope.scope.root)
    held = ", ".join(f"{number:,} {name}" for name, number in indexes.items())
    return [
        *visit.site.setup.items(),
        ("embedder", f"{embedder.name}, {dimensions}"),
        ("indexes", held or say("common.none")),
        ("model", settings.model or say("health.offline")),
        ("zone", visit.days.zone.key),
    ]


async def _decided(visit: Visit) -> list[dict[str, object]]:
    entries = await visit.scope.ledger.recent()
    counts = Counter((d.kind, d.action, d.reason) for entry in entries for d in entry.decisions)
    return [
        {"kind": kind, "action": action, "reason": reason, "number": number}
        for (kind, action, reason), number in counts.most_common()
    ]


async def _sizes(visit: Visit) -> dict[str, int]:
    """Return the number of items of each kind, the best-known kinds first."""
    held = await visit.memory.aholdings()
    first = [name for name in _KINDS_IN_ORDER if name in held]
    return {name: held[name] for name in (*first, *(held.keys() - set(first)))}


_KINDS_IN_ORDER = ("facts", "episodes", "patterns", "turns", "ledger", "access", "observations")


async def show_yours(visit: Visit) -> Page:
    """Show what can be exported, and what forgetting everything would delete."""
    return Page(
        place="yours",
        data={
            "user": visit.user,
            "sizes": await _sizes(visit),
            "beyond_reach": BEYOND_REACH,
        },
        command=("memories", "export"),
    )


async def export_jsonl(visit: Visit) -> Response:
    """Return everything as JSON Lines."""
    text = "".join(f"{line}\n" for line in await visit.memory.aexport())
    return _download(text, "memory.jsonl", "application/x-ndjson")


async def export_markdown(visit: Visit) -> Response:
    """Return everything as one Markdown document to read."""
    return _download(await cards.as_markdown(visit), "memory.md", "text/markdown")


def _download(text: str, name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, media_type=media_type, headers=headers)


PAGES: Mapping[str, Show] = {
    "/": show_start,
    "/recall": show_recall,
    "/turns": show_turns,
    "/facts/{id:path}/forget": ask_to_forget,
    "/facts/{id:path}": show_fact,
    "/episodes": show_episodes,
    "/episodes/{id:path}/forget": ask_to_forget,
    "/episodes/{id:path}": show_episode,
    "/patterns": show_patterns,
    "/health": show_health,
    "/yours": show_yours,
    "/export.jsonl": export_jsonl,
    "/export.md": export_markdown,
}
"""Every page by its path."""
