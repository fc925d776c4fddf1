"""Which dates a statement tells, when it became true, and the day of its event."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory_graph.language.times import MAX_CHARACTERS, DateMention, find_dates

ZONE = ZoneInfo("Europe/Madrid")
WEDNESDAY = datetime(2026, 11, 18, 12, tzinfo=ZONE)


def told(text: str, *, now: datetime = WEDNESDAY) -> list[DateMention]:
    return find_dates(text, now=now, zone=ZONE, language="en")


def one(text: str) -> DateMention:
    mentions = told(text)
    assert len(mentions) == 1, mentions
    return mentions[0]


@pytest.mark.parametrize(
    ("text", "phrase", "first", "is_day"),
    [
        ("Luna turned 4 yesterday", "yesterday", "2026-11-17", True),
        ("we moved last month", "last month", "2026-10-01", False),
        ("I broke my leg two weeks ago", "two weeks ago", "2026-11-04", True),
        ("two years ago we met", "two years ago", "2024-11-18", False),
        ("I started a few days ago", "a few days ago", "2026-11-15", False),
        ("The wedding is on 12 June 2027", "12 June 2027", "2027-06-12", True),
        ("the wedding moved to 19 June", "19 June", "2027-06-19", True),
        ("next Friday I fly to Rome", "next Friday", "2026-11-20", True),
        ("I'll be in Paris next week", "next week", "2026-11-23", False),
        ("the exam is on the 14th", "the 14th", "2026-12-14", True),
        ("the deadline was 2026-11-05", "2026-11-05", "2026-11-05", True),
        ("in two weeks I fly", "in two weeks", "2026-12-02", True),
        ("the report is due on Friday", "Friday", "2026-11-20", True),
        ("this weekend we go hiking", "this weekend", "2026-11-21", True),
        ("She was born in 1990", "1990", "1990-01-01", False),
        ("tomorrow I see Ana", "tomorrow", "2026-11-19", True),
        ("later today I'll call", "later today", "2026-11-18", True),
    ],
)
def test_a_statement_tells_a_date(text: str, phrase: str, first: str, is_day: bool):
    mention = one(text)
    assert (mention.phrase, mention.start.date().isoformat()) == (phrase, first)
    assert mention.is_day is is_day
    assert mention.start.tzinfo == ZONE


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("dentist on Friday", "2026-11-20"),
        ("I have a dentist appointment on Friday", "2026-11-20"),
        ("We're meeting on Friday", "2026-11-20"),
        ("I went to the dentist on Friday", "2026-11-13"),
        ("On Friday I went to the dentist", "2026-11-13"),
        ("On Friday I'm going to the dentist", "2026-11-20"),
        ("we got married in March", "2026-03-01"),
        ("we're getting married in March", "2027-03-01"),
        ("the fair is moved to 3 March", "2027-03-03"),
        ("I decided to move in January", "2027-01-01"),
        ("I handed in my notice, starting at the clinic in January", "2027-01-01"),
        ("I called and they send a new one by Friday", "2026-11-20"),
        ("Party on 3 Jan!", "2027-01-03"),
        ("It was October 30.", "2026-10-30"),
        ("called the plumber, he's coming on Friday", "2026-11-20"),
    ],
)
def test_the_tense_of_the_clause_decides_between_the_coming_and_the_latest(text: str, day: str):
    assert one(text).start.date().isoformat() == day


@pytest.mark.parametrize(
    "text",
    [
        "meeting at 3:30 on Tuesday",
        "Tuesday at 3 pm works",
        "My flight leaves on Tuesday, 24 November at 6:45",
    ],
)
def test_a_time_of_day_beside_a_date_changes_nothing(text: str):
    mention = one(text)
    assert mention.start.isoformat()[:16] == "2026-11-24T00:00"
    assert mention.is_day


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("since May I work at X", "since"),
        ("by Friday I must finish", "by"),
        ("until Friday I'm away", "before"),
        ("after Christmas we move", "after"),
        ("on Friday I leave", "at"),
    ],
)
def test_a_mention_says_how_it_bounds_the_time(text: str, bound: str):
    assert one(text).bound == bound


@pytest.mark.parametrize(
    "text",
    [
        "every Monday I swim",
        "I like chess",
        "February 30 does not exist.",
        "I have lived here for two years",
        "this may take a while",
    ],
)
def test_habits_and_lengths_are_no_dates(text: str):
    assert told(text) == []


def test_all_dates_of_a_statement_are_found_in_order():
    mentions = told("I quit my job last week and start at Google in January")
    assert [mention.phrase for mention in mentions] == ["last week", "January"]


def test_days_begin_where_the_user_is():
    night = datetime(2026, 11, 18, 2, tzinfo=UTC)
    zone = ZoneInfo("America/Los_Angeles")
    mention = find_dates("I met Ana yesterday", now=night, zone=zone, language="en")[0]
    assert mention.start.isoformat() == "2026-11-16T00:00:00-08:00"


def test_the_beginning_and_the_end_of_a_long_text_are_read():
    text = f"yesterday {'lorem ipsum ' * MAX_CHARACTERS} we met on 2 May 2024"
    assert [mention.phrase for mention in told(text)] == ["yesterday", "2 May 2024"]
