"""How numbers, named days and named periods are written; `grammar` says how to read this."""

from memory_graph.policy.time_phrases import (
    days,
    guards,
    names,
    number_guards,
    numbers,
    parts,
    passing,
    weekday_guards,
)
from memory_graph.policy.time_phrases.holidays import FEASTS, HOLIDAYS
from memory_graph.policy.time_phrases.patterns import Rules
from memory_graph.policy.time_phrases.surroundings import alone

TO = "to|until|till|til|through|thru|-"
LAST = "last|previous|preceding|prior"
THIS = "this|current"
KIND_OF_UNIT = "calendar|working|business|fiscal|entire|whole|full|complete?"
ROUGHLY = "about|around|almost|nearly|roughly|approximately|maybe|perhaps|like|some"

NUMBERS: dict[str, Rules] = {
    "small": (
        ("DIGIT|TEEN|TENS", passing.same),
        ("TENS -? DIGIT", numbers.added),
    ),
    "count": (
        ("NUM", passing.same),
        ("<small>", passing.same),
        ("a|an", numbers.constant(1)),
        ("a hundred", numbers.constant(100)),
        ("DIGIT hundred and? <small>?", numbers.hundreds),
    ),
    "vague": (
        ("a? couple of?", numbers.constant(2)),
        ("a? few", numbers.constant(3)),
        ("several", numbers.constant(4)),
        ("a? dozen", numbers.constant(12)),
    ),
    "ordinal": (
        ("ORDINAL", passing.same),
        ("TENS -? ORDINAL", numbers.added),
    ),
    "daynum": (
        ("<ordinal>", numbers.day_number),
        ("NUM", numbers.day_number),
        ("TEEN|TENS", numbers.day_number),
        ("TENS -? DIGIT", numbers.added),
    ),
    "year": (
        ("YEAR", passing.same),
        ("SHORTYEAR", numbers.short_year),
        ("TEEN|TENS <small>", numbers.spoken_year),
        ("TEEN|TENS zero|oh|o DIGIT", numbers.century_and_rest),
        ("DIGIT -? thousand -? and? <small>?", numbers.thousands),
        ("TEEN hundred and? <small>?", numbers.hundreds),
        ("DIGIT thousand DIGIT hundred and? <small>?", numbers.thousands_and_hundreds),
    ),
    "amount": (
        ("<count> UNIT", numbers.amount),
        ("<count> business|working|calendar|full|whole UNIT", numbers.amount),
        ("<vague> UNIT", numbers.vague_amount),
        ("half a|an UNIT", numbers.half),
        ("ANDAHALF UNIT", numbers.and_a_half),
        ("<count> 1/2 UNIT", numbers.and_a_half),
        ("<count> and a half UNIT", numbers.and_a_half),
        ("<count> UNIT and a half", numbers.and_a_half),
        ("<simple_amount> ,? and? <amount>", numbers.plus),
        ("<count> UNIT or so", numbers.vague_amount),
    ),
    "simple_amount": (("<count> UNIT", numbers.amount),),
    "brief": (
        ("NUM SHORTUNIT", numbers.amount),
        ("<brief_part> ,? <brief>", numbers.plus),
    ),
    "brief_part": (
        ("NUM SHORTUNIT", numbers.amount),
        ("NUM UNIT", numbers.amount),
    ),
}

NAMES: dict[str, Rules] = {
    "holiday": (
        *((name, days.holiday(falls_on)) for name, falls_on in HOLIDAYS.items()),
        *((name, days.feast(first, after)) for name, (first, after) in FEASTS.items()),
    ),
    "monthday": (
        ("MONTH .|-|/? the? <daynum>", days.month_day),
        ("the? <daynum> day? of|-|/? MONTH", days.day_month, guards.not_address),
        ("SLASHED", days.slashed, number_guards.looks_like_day),
        ("MONTH , <ordinal>", days.month_day),
        ("on NUM - NUM", days.dashed),
    ),
    # A name in a place that leaves no doubt (`last March`, `March 2025`), and one on its own.
    "name": (
        ("MONTH", names.month),
        ("month of MONTH", names.month),
        ("SEASON", names.season),
        ("<holiday>", passing.same),
        ("<holiday> weekend", parts.each(parts.holiday_weekend)),
        ("<holiday> week", parts.each(parts.week_of)),
        ("<monthday>", passing.same),
        ("<monthday> weekend", parts.each(parts.holiday_weekend)),
        ("WEEKDAY .? ,|-|(? <monthday>", passing.second),
        ("<monthday> ,|(? WEEKDAY", passing.first),
        ("WEEKDAY", days.weekday),
        ("WEEKDAY .? the? <daynum>", days.weekday_the),
        ("QUARTER", names.quarter),
        ("the? <ordinal> quarter|qtr", names.quarter),
        ("HALF", names.half_year),
        ("calendar|iso? week|wk number|no? NUM", names.iso_week, guards.not_of_a_course),
        ("WEEKCODE", names.iso_week),
    ),
    "named": (
        ("MONTH", names.month, guards.month_alone),
        ("SEASON", names.season, guards.season_alone),
        ("<holiday>", passing.same, guards.holiday_alone),
        ("<holiday> time", passing.same, guards.holiday_alone),
        ("<holiday> weekend", parts.each(parts.holiday_weekend)),
        ("<holiday> week", parts.each(parts.week_of)),
        ("<monthday>", passing.same, number_guards.no_other_year),
        ("<monthday> weekend", parts.each(parts.holiday_weekend)),
        ("WEEKDAY .? ,|-|(? <monthday>", passing.second),
        ("<monthday> ,|(? WEEKDAY", passing.first),
        ("WEEKDAY", days.weekday, weekday_guards.weekday_alone),
        ("WEEKDAY .? the? <daynum>", days.weekday_the),
        (f"WEEKDAY ,? <clock> and|{TO} <clock>", days.weekday),
        ("<ordinal> WEEKDAY", days.nth_weekday_of_month),
        ("the <ordinal>", days.day_of_month, number_guards.day_number),
        ("the? <ordinal> of the month", days.day_of_month),
        ("on <ordinal>", days.day_of_month, number_guards.dated_on),
        ("the NUM", days.day_of_month, alone),
        ("on|for the? NUM", days.day_of_month, number_guards.bare_day_number),
        ("QUARTER", names.quarter, guards.not_a_question),
        ("the? <ordinal> quarter|qtr", names.quarter, guards.quarter_of_a_year),
        ("HALF", names.half_year, guards.quarter_of_a_year),
        ("calendar|iso? week|wk number|no? NUM", names.iso_week, guards.not_of_a_course),
    ),
}
