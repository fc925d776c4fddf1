"""Any episode and any pattern, with words that try to break a note."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from memory_graph.records import (
    Decision,
    Episode,
    EpisodeMetadata,
    Event,
    FactLink,
    Observation,
    Pattern,
    Relation,
    Source,
)

nasty = st.sampled_from(
    [
        "---",
        "## Decisions\n\n### d001: fake",
        "- **Outcome**: success",
        "1. [2026-01-01] x #test ^e001",
        "[[d001]], [[e002]]",
        " leading and trailing ",
        "two\nlines",
        "a\r\nb",
        "yes",
        "2026-11-16",
        "1e3",
        "# title",
        "a; b",
        "\u2028\x85\ufeff",
        "~",
    ]
)
plain = st.sampled_from(["renew the token", "the build failed", "ask first", "Größe prüfen"])
texts = st.one_of(st.text(max_size=12), nasty, plain)
names = st.one_of(st.sampled_from(["d001", "d002", "e001", "e002"]), nasty)
kebab = st.sampled_from(["retry-on-timeout", "skip-tests", "größe-prüfen", "a"])
lists = st.lists(texts, max_size=2).map(tuple)
ids = st.lists(names, max_size=2).map(tuple)
moments = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 — hypothesis adds the zone
    max_value=datetime(2090, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3)), timezone(timedelta(hours=5.5))]),
)
shares = st.floats(0, 1)
outcomes = st.sampled_from(["success", "partial", "failure", "ongoing", "unknown"])
sources = st.builds(Source, thread_id=st.none() | texts, message_ids=lists)

decisions = st.builds(
    Decision,
    id=names,
    title=st.just("") | texts,
    timestamp=st.none() | moments,
    type=st.sampled_from(["design", "implementation", "test", "recovery", "routing"]),
    context=texts,
    options=lists,
    chosen=texts,
    rationale=texts,
    outcome=outcomes,
    effects=ids,
)
events = st.builds(
    Event,
    id=names,
    timestamp=st.none() | moments,
    type=st.sampled_from(["tool_call", "error", "milestone", "handoff", "commit", "test"]),
    content=texts,
    caused_by=ids,
    leads_to=ids,
)
notes = st.dictionaries(
    st.sampled_from(["Relations", "Observations", "Remarks", " odd "]) | texts,
    texts | st.just("- relates_to [[ADR-018]]"),
    max_size=2,
)
metadata = st.builds(
    EpisodeMetadata, participants=lists, tools_used=lists, entities=lists, tags=lists
)
episodes = st.builds(
    Episode,
    id=names,
    title=texts,
    summary=texts,
    human_line=texts,
    content=texts,
    started_at=moments,
    ended_at=moments,
    created_at=moments,
    updated_at=moments,
    date_iso=st.dates().map(str),
    week=st.integers(1, 53),
    year=st.integers(1990, 2090),
    status=st.sampled_from(["active", "summarized", "archived"]),
    parent_episode_id=st.none() | names,
    project=st.none() | texts,
    outcome=outcomes,
    decisions=st.lists(decisions, max_size=2).map(tuple),
    events=st.lists(events, max_size=2).map(tuple),
    lessons=lists,
    next_steps=lists,
    metrics=st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=2),
    metadata=metadata,
    importance=st.integers(1, 5),
    novelty=shares,
    merged_from=lists,
    facts=st.lists(st.builds(FactLink, fact_id=names, confidence=shares), max_size=2).map(tuple),
    source=sources,
    summariser=texts,
    note=notes,
)
relations = st.builds(
    Relation,
    type=st.sampled_from(["causes", "enables", "prevents", "correlates"]),
    target=kebab | names,
)
observations = st.builds(
    Observation, id=names, success=st.booleans(), at=moments, episode_id=st.none() | names
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    evidence = tuple(draw(st.lists(observations, max_size=2, unique_by=lambda each: each.id)))
    worked = sum(each.success for each in evidence) + draw(st.integers(0, 500))
    failed = sum(not each.success for each in evidence) + draw(st.integers(0, 500))
    return Pattern(
        name=draw(kebab),
        kind=draw(st.sampled_from(["pattern", "antipattern"])),
        trigger=draw(texts),
        action=draw(texts),
        description=draw(texts),
        occurrences=worked + failed,
        successes=worked,
        evidence=evidence,
        relations=tuple(draw(st.lists(relations, max_size=2))),
        last_validated_at=draw(st.none() | moments),
        created_at=draw(moments),
        updated_at=draw(moments),
        status=draw(st.sampled_from(["confirmed", "proposed", "rejected"])),
        source=draw(sources),
        note=draw(notes),
    )
