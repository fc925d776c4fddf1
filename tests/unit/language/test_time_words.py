"""Time phrases of other languages mean what their English ones mean."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_graph.language import times

ZONE = ZoneInfo("Europe/Madrid")
WEDNESDAY = datetime(2026, 11, 18, 12, tzinfo=ZONE)
LAST_WEEK = ("2026-11-09", "2026-11-16")
YESTERDAY = ("2026-11-17", "2026-11-18")
LAST_MONDAY = ("2026-11-16", "2026-11-17")
LAST_YEAR = ("2025-01-01", "2026-01-01")
TWO_DAYS_AGO = ("2026-11-16", "2026-11-17")
THIRD_OF_MARCH = ("2025-03-03", "2025-03-04")
SINCE_MAY = ("2026-05-01", "2026-11-19")

PAST = {
    "de": {
        "Was habe ich letzte Woche gemacht?": LAST_WEEK,
        "gestern": YESTERDAY,
        "vor zwei Tagen": TWO_DAYS_AGO,
        "am Montag": LAST_MONDAY,
        "Was war am 3. März 2025?": THIRD_OF_MARCH,
        "letztes Jahr": LAST_YEAR,
        "seit Mai": SINCE_MAY,
    },
    "es": {
        "la semana pasada": LAST_WEEK,
        "¿Qué hice ayer?": YESTERDAY,
        "hace dos dias": TWO_DAYS_AGO,
        "el lunes pasado": LAST_MONDAY,
        "el 3 de marzo de 2025": THIRD_OF_MARCH,
        "el año pasado": LAST_YEAR,
        "desde mayo": SINCE_MAY,
    },
    "fr": {
        "la semaine dernière": LAST_WEEK,
        "hier soir": YESTERDAY,
        "il y a deux jours": TWO_DAYS_AGO,
        "lundi dernier": LAST_MONDAY,
        "le 3 mars 2025": THIRD_OF_MARCH,
        "l’année dernière": LAST_YEAR,
        "depuis mai": SINCE_MAY,
    },
    "it": {
        "la settimana scorsa": LAST_WEEK,
        "ieri": YESTERDAY,
        "due giorni fa": TWO_DAYS_AGO,
        "lunedì scorso": LAST_MONDAY,
        "il 3 marzo 2025": THIRD_OF_MARCH,
        "l'anno scorso": LAST_YEAR,
        "da maggio": SINCE_MAY,
    },
    "pt": {
        "na semana passada": LAST_WEEK,
        "ontem": YESTERDAY,
        "há dois dias": TWO_DAYS_AGO,
        "na segunda-feira": LAST_MONDAY,
        "3 de março de 2025": THIRD_OF_MARCH,
        "no ano passado": LAST_YEAR,
        "desde maio": SINCE_MAY,
    },
    "nl": {
        "vorige week": LAST_WEEK,
        "gisteren": YESTERDAY,
        "twee dagen geleden": TWO_DAYS_AGO,
        "afgelopen maandag": LAST_MONDAY,
        "op 3 maart 2025": THIRD_OF_MARCH,
        "vorig jaar": LAST_YEAR,
        "sinds mei": SINCE_MAY,
    },
    "zh": {
        "上周": LAST_WEEK,
        "昨天我做了什么": YESTERDAY,
        "两天前": TWO_DAYS_AGO,
        "周一": LAST_MONDAY,
        "2025年3月3日": THIRD_OF_MARCH,
        "去年": LAST_YEAR,
        "从五月": SINCE_MAY,
    },
    "ja": {
        "先週何をした": LAST_WEEK,
        "昨日": YESTERDAY,
        "2日前": TWO_DAYS_AGO,
        "月曜日": LAST_MONDAY,
        "2025年3月3日": THIRD_OF_MARCH,
        "去年": LAST_YEAR,
        "5月から": SINCE_MAY,
    },
}


@pytest.mark.parametrize(
    ("language", "text", "window"),
    [(code, text, days) for code, texts in PAST.items() for text, days in texts.items()],
)
def test_past_times_are_found(language: str, text: str, window: tuple[str, str]):
    found = times.find_time_phrase(text, now=WEDNESDAY, zone=ZONE, language=language)
    assert found is not None
    assert found.start is not None
    assert found.end is not None
    assert (found.start.date().isoformat(), found.end.date().isoformat()) == window
    assert found.phrase in text


def test_a_mention_is_the_day_whatever_the_hour():
    text = "Also: Zahnarzt am Freitag um 15:30."
    [mention] = times.find_dates(text, now=WEDNESDAY, zone=ZONE, language="de")
    assert mention.start.isoformat() == "2026-11-20T00:00:00+01:00"


def test_a_distance_in_another_language_is_no_date():
    [mention] = times.find_dates("vor 3 Tagen", now=WEDNESDAY, zone=ZONE, language="de")
    assert not mention.names_day


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "mon chat a mal"),
        ("es", "el mar es azul"),
        ("de", "das ist ein Satz"),
        ("zh", "你好"),
    ],
)
def test_words_that_look_like_english_times_are_not_read(language: str, text: str):
    assert times.find_dates(text, now=WEDNESDAY, zone=ZONE, language=language) == []


def test_an_unknown_language_is_not_read():
    for code in ("xx", "../de", ""):
        found = times.find_time_phrase("yesterday", now=WEDNESDAY, zone=ZONE, language=code)
        assert found is None


def test_english_is_read_as_it_is():
    found = times.find_time_phrase("what did we say yesterday", now=WEDNESDAY, zone=ZONE)
    assert found is not None
    assert found.phrase == "yesterday"


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("fr", "On emménage le 20 janvier", "2027-01-20"),
        ("fr", "J'ai signé le bail, j'emménage le 20 janvier", "2027-01-20"),
        ("de", "Der Vertrag wurde unterschrieben, Umzug ist am 1. März", "2027-03-01"),
        ("de", "Am 1. März ziehe ich um", "2027-03-01"),
        ("es", "Ayer hablé con el casero y me mudo el 3 de enero", "2027-01-03"),
        ("de", "Am Donnerstag war ich beim Arzt", "2026-10-01"),
        ("de", "Am Donnerstag muss ich zum Arzt", "2026-10-08"),
        ("en", "It ships on the 19th", "2026-10-19"),
        ("en", "The deploy failed on Thursday", "2026-10-01"),
    ],
)
def test_a_day_without_a_year_is_the_next_one_of_a_plan_and_the_last_of_a_report(
    language, text, day
):
    wednesday = datetime(2026, 10, 7, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    found = times.find_dates(text, now=wednesday, zone=ZoneInfo("Europe/Berlin"), language=language)
    assert found[-1].start.date().isoformat() == day
