"""Event dates: the calendar days a text names."""

from datetime import date

import pytest

from memory_graph.policy.event_dates import find_event_dates

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        pytest.param("The fair is on 2027-03-05.", {date(2027, 3, 5)}, id="ISO"),
        pytest.param("We fly on March 5th, 2027.", {date(2027, 3, 5)}, id="month first"),
        pytest.param("The 5th of March 2027 it is.", {date(2027, 3, 5)}, id="day first"),
        pytest.param("Party on 3 Jan!", {date(2027, 1, 3)}, id="the next one is nearer"),
        pytest.param("It was October 30.", {date(2026, 10, 30)}, id="the last one is nearer"),
        pytest.param("From May 1 to May 4.", {date(2027, 5, 1), date(2027, 5, 4)}, id="two days"),
        pytest.param("See you on November 16.", set(), id="today is no other day"),
        pytest.param("On Friday, or next week in March.", set(), id="no day and month"),
        pytest.param("February 30 does not exist.", set(), id="impossible day"),
        pytest.param("Meet in May 10:30 or so.", set(), id="a time is no day"),
    ],
)
def test_find_event_dates(text: str, days: set[date]) -> None:
    assert find_event_dates(text, today=TODAY) == days


def test_a_leap_day_is_found_where_there_is_one() -> None:
    assert find_event_dates("29 February", today=date(2027, 12, 1)) == {date(2028, 2, 29)}
