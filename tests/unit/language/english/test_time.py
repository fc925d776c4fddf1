"""What past time is read out of a message, in which zone, and when nothing is."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.harness.runner import split_of
from evals.suites.time_phrase_cases import FILE, Case, load, local_now
from memory_graph.language.times import MAX_CHARACTERS, TimeRange, find_time_phrase

TABLE = [case for case in load(FILE) if split_of(case["id"]) == "tune"]
"""What is held back is measured by `python -m evals`, not tested."""
WITH_PHRASE = [case for case in TABLE if case["kind"] == "pos"]
WITHOUT_PHRASE = [case for case in TABLE if case["kind"] == "neg"]
FRIDAY = datetime(2026, 3, 6, 12, tzinfo=UTC)
ZONES = (
    "Europe/Madrid",
    "Pacific/Auckland",
    "America/Los_Angeles",
    "Africa/Cairo",
    "Asia/Beirut",
    "America/Havana",
    "Asia/Kathmandu",
)
TIME_WORDS = """
    the last past this next a an of on in at to from between and before after since until ago
    first second 3rd 27th 2 12 31 2019 '87 two twenty nineteen hundred thousand couple few half
    day week weekend month quarter year decade century monday sat may march december summer
    christmas easter yesterday today tonight morning early late mid end beginning - / , .
    4/22 02/29/2020 2020-13-45 2026-W53 10:30 1990s 70s q3 h1 every around recently other
"""
WORDS = TIME_WORDS.split()


def find(text: str, *, now: datetime = FRIDAY, zone: str = "Europe/Madrid") -> TimeRange | None:
    return find_time_phrase(text, now=now, zone=ZoneInfo(zone), language="en")


def found(text: str, *, now: datetime = FRIDAY, zone: str = "Europe/Madrid") -> TimeRange:
    result = find(text, now=now, zone=zone)
    assert result is not None, text
    return result


def days(result: TimeRange | None) -> tuple[str | None, str | None] | None:
    if result is None:
        return None
    start, end = result.start, result.end
    return (start.date().isoformat() if start else None, end.date().isoformat() if end else None)


def read(case: Case) -> tuple[str | None, str | None] | None:
    return days(find(case["text"], now=local_now(case), zone=case["tz"]))


# The table also holds phrases nobody was seen to write, whose rules were dropped on purpose:
# `two hundred and ten days ago`, `the second to last Friday of January`, `4Q24`.
def test_most_phrases_of_the_table_are_read_as_labelled():
    right = [case for case in WITH_PHRASE if list(read(case) or ()) in case["accept"]]
    assert len(right) >= 0.72 * len(WITH_PHRASE)


def test_sentences_without_a_time_phrase_give_nothing():
    false = [case["text"] for case in WITHOUT_PHRASE if read(case)]
    assert len(false) <= 0.04 * len(WITHOUT_PHRASE), false


def test_the_table_is_large_and_varied():
    assert len(WITH_PHRASE) >= 250
    assert len(WITHOUT_PHRASE) >= 150
    assert {case["tz"] for case in WITH_PHRASE} >= set(ZONES)


# — zones and daylight saving —


def test_yesterday_depends_on_the_zone():
    now = datetime(2026, 3, 9, 3, 30, tzinfo=UTC)
    assert days(find("yesterday", now=now, zone="America/Los_Angeles")) == (
        "2026-03-07",
        "2026-03-08",
    )
    assert days(find("yesterday", now=now, zone="Europe/Madrid")) == ("2026-03-08", "2026-03-09")


@pytest.mark.parametrize(
    ("day", "hours"),
    [("2026-03-08", 23), ("2026-11-01", 25), ("2026-07-01", 24)],
    ids=["spring forward", "fall back", "ordinary"],
)
def test_a_day_in_new_york_is_as_long_as_its_clocks_say(day: str, hours: int):
    result = found(
        f"what happened on {day}", now=datetime(2027, 1, 1, tzinfo=UTC), zone="America/New_York"
    )
    assert result.start is not None
    assert result.end is not None
    length = result.end.astimezone(UTC) - result.start.astimezone(UTC)
    assert length == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Africa/Cairo", "2026-04-24"),
        ("Asia/Beirut", "2026-03-29"),
        ("America/Havana", "2026-03-08"),
    ],
)
def test_a_missing_midnight_becomes_the_first_instant_of_the_day(zone: str, day: str):
    start = found(f"on {day}", now=datetime(2026, 6, 1, tzinfo=UTC), zone=zone).start
    assert start is not None
    assert start.isoformat()[:16] == f"{day}T01:00"
    before = (start.astimezone(UTC) - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
    assert before.date() < start.date()


def test_a_repeated_midnight_is_the_first_of_the_two():
    start = found(
        "on 2026-11-01", now=datetime(2026, 12, 1, tzinfo=UTC), zone="America/Havana"
    ).start
    assert start is not None
    assert start.astimezone(UTC) == datetime(2026, 11, 1, 4, tzinfo=UTC)


def test_a_day_the_calendar_skipped_is_empty_but_ordered():
    result = found("on 2011-12-30", now=datetime(2012, 1, 5, tzinfo=UTC), zone="Pacific/Apia")
    assert result.start is not None
    assert result.end is not None
    assert result.start.astimezone(UTC) == result.end.astimezone(UTC)


def test_hours_ago_are_elapsed_hours_when_the_clocks_change():
    now = datetime(2026, 3, 8, 7, 30, tzinfo=UTC)  # 03:30 in New York, an hour after 01:30.
    assert days(find("3 hours ago", now=now, zone="America/New_York")) == (
        "2026-03-07",
        "2026-03-08",
    )


@pytest.mark.parametrize(
    "text", ["on 0001-01-01", "9999 years ago", "65 million years ago", "since 9999-12-31"]
)
def test_the_edges_of_the_calendar_give_nothing(text: str):
    assert find(text, zone="Pacific/Auckland") is None


def test_iso_weeks_belong_to_their_iso_year():
    now = datetime(2027, 1, 1, 10, tzinfo=UTC)
    assert days(find("in 2026-W53", now=now)) == ("2026-12-28", "2027-01-04")
    assert days(find("in week 1 of 2025", now=now)) == ("2024-12-30", "2025-01-06")


@pytest.mark.parametrize(
    ("zone", "summer"),
    [
        ("Pacific/Auckland", ("2025-12-01", "2026-03-01")),
        ("Europe/Madrid", ("2025-06-01", "2025-09-01")),
    ],
)
def test_seasons_follow_the_hemisphere_of_the_zone(zone: str, summer: tuple[str, str]):
    assert days(find("last summer", zone=zone)) == summer


# — what comes with a range —


@pytest.mark.parametrize("text", ["recently", "the other day", "a while ago", "about a year ago"])
def test_vague_phrases_only_boost(text: str):
    assert found(text).hard is False


@pytest.mark.parametrize("text", ["yesterday", "last week", "on 3 March", "between May and July"])
def test_exact_phrases_may_filter(text: str):
    assert found(text).hard is True


def test_last_weekday_is_the_most_recent_one():
    thursday = datetime(2026, 3, 5, 12, tzinfo=UTC)
    assert days(find("last Wednesday", now=thursday)) == ("2026-03-04", "2026-03-05")


def test_a_full_date_wins_over_the_relative_one_before_it():
    text = "What did Joanna finish last Friday on 23 January, 2022?"
    assert days(find(text)) == ("2022-01-23", "2022-01-24")
    assert found(text).phrase == "last Friday on 23 January, 2022"


def test_the_phrase_is_given_as_written():
    assert found("Hey, what did I do Last Week?").phrase == "Last Week"


def test_an_exact_phrase_wins_over_a_vague_one():
    assert found("Lately I sleep badly, last Monday was awful").phrase == "last Monday"


# — properties —


@st.composite
def reference_times(draw: st.DrawFn) -> tuple[datetime, str]:
    zone = draw(st.sampled_from(ZONES))
    seconds = draw(st.integers(min_value=10**9, max_value=28 * 10**8))
    return datetime.fromtimestamp(seconds, tz=UTC), zone


@given(st.sampled_from(WITH_PHRASE), reference_times())
def test_ranges_are_ordered_and_begin_with_local_days(case: Case, when: tuple[datetime, str]):
    now, zone = when
    result = find(case["text"], now=now, zone=zone)
    if result is None:
        return
    ends = [end for end in (result.start, result.end) if end is not None]
    for end in ends:
        instant_before = (end.astimezone(UTC) - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
        assert end.tzinfo == ZoneInfo(zone)
        assert instant_before.date() < end.date()
    assert ends
    assert [end.astimezone(UTC) for end in ends] == sorted(end.astimezone(UTC) for end in ends)
    assert len(ends) == 1 or ends[0].astimezone(UTC) < ends[1].astimezone(UTC)


@given(st.sampled_from(WITH_PHRASE), reference_times())
def test_a_range_has_begun(case: Case, when: tuple[datetime, str]):
    now, zone = when
    result = find(case["text"], now=now, zone=zone)
    assert result is None or result.start is None or result.start.astimezone(UTC) <= now


def test_case_and_closing_marks_change_nothing():
    for case in TABLE[::3]:
        expected = read(case)
        bare = case["text"].rstrip("?!.")
        for text in (case["text"].upper(), f"{bare}!", f"{bare}?", f'"{bare}"'):
            assert read(Case(**case | {"text": text})) == expected, text


MONTH_NAMES = [date(2024, month, 1).strftime("%B") for month in range(1, 13)]
WEEKDAY_NAMES = [date(2024, 1, day).strftime("%A") for day in range(1, 8)]


@given(
    st.sampled_from([*WEEKDAY_NAMES, *MONTH_NAMES, "Christmas", "Easter", "summer"]),
    st.sampled_from(
        [
            "next {}",
            "the {} after next",
            "{} of next year",
            "next year, on {}",
            "{} in two weeks",
            "the end of next {}",
            "every {}",
            "every year on {}",
            "once a week on {}",
            "every Tuesday and {}",
            "every other week until {}",
        ]
    ),
    reference_times(),
)
def test_a_name_in_a_phrase_that_looks_ahead_is_not_read_on_its_own(
    name: str, phrase: str, when: tuple[datetime, str]
):
    now, zone = when
    assert find(phrase.format(name), now=now, zone=zone) is None


@given(
    st.integers(min_value=28, max_value=45),
    st.sampled_from(MONTH_NAMES),
    st.integers(min_value=1900, max_value=2020),
    st.sampled_from(
        ["{day} {month} {year}", "{month} {day}, {year}", "the {day} of {month} {year}"]
    ),
)
def test_a_day_is_found_only_where_the_calendar_has_it(
    day: int, month: str, year: int, written: str
):
    result = find(written.format(day=day, month=month, year=year))
    try:
        expected = date(year, MONTH_NAMES.index(month) + 1, day)
    except ValueError:
        assert result is None
    else:
        assert days(result) == (str(expected), str(expected + timedelta(days=1)))


@given(
    st.sampled_from(["second", "third", "4th", "21st", "1"]),
    st.sampled_from(["order", "party", "norm", "degree", "largest"]),
    st.sampled_from(["on the", "for the", "of the", "since the", "until the"]),
)
def test_a_number_in_a_compound_is_no_day(number: str, noun: str, before: str):
    assert find(f"it depends {before} {number}-{noun} thing") is None


@given(st.text(max_size=300), reference_times())
def test_no_text_raises(text: str, when: tuple[datetime, str]):
    now, zone = when
    result = find(text, now=now, zone=zone)
    assert result is None or result.phrase in text


@given(st.lists(st.sampled_from(WORDS), max_size=40), reference_times())
def test_no_mixture_of_time_words_raises(words: list[str], when: tuple[datetime, str]):
    now, zone = when
    find(" ".join(words), now=now, zone=zone)


def test_only_both_ends_of_a_very_long_text_are_read():
    filler = "lorem ipsum " * 2000
    assert len(filler) > MAX_CHARACTERS
    assert found(f"{filler} what did I say yesterday").phrase == "yesterday"
    assert found(f"yesterday {filler}").phrase == "yesterday"
    assert find(f"{filler} yesterday {filler}") is None


@pytest.mark.parametrize("text", ["every day to April", "from every Monday to March"])
def test_what_names_no_time_begins_no_range(text: str):
    result = find(text)
    assert result is None or " to " not in result.phrase
