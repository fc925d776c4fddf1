"""How time phrases are written: every symbol, its patterns, and what each pattern means.

In a pattern a lowercase word stands for itself (`to|until`), a `KIND` or a `<symbol>` is captured
and handed to the function beside it in order, and `?` makes a place optional. The longest reading
wins, then the first in the table. A third column names the guard that looks at the words around.
"""

from collections.abc import Mapping

from memory_graph.policy.time_phrases import days, guards, numbers, periods, ranges
from memory_graph.policy.time_phrases.holidays import HOLIDAYS
from memory_graph.policy.time_phrases.parser import Grammar, Rules

TO = "to|until|till|til|through|thru|-"
LAST = "last|previous"
THIS = "this|current"
KIND_OF_UNIT = "calendar|working|business|fiscal|entire|whole?"
ROUGHLY = "about|around|almost|nearly|roughly|approximately|maybe|like|some"

NUMBERS: dict[str, Rules] = {
    "small": (
        ("DIGIT|TEEN|TENS", numbers.same),
        ("TENS -? DIGIT", numbers.added),
    ),
    "count": (
        ("NUM", numbers.same),
        ("<small>", numbers.same),
        ("a|an", numbers.constant(1)),
    ),
    "vague": (
        ("a? couple of?", numbers.constant(2)),
        ("a? few", numbers.constant(3)),
        ("several", numbers.constant(4)),
    ),
    "ordinal": (
        ("ORDINAL", numbers.same),
        ("TENS -? ORDINAL", numbers.added),
    ),
    "daynum": (
        ("<ordinal>", numbers.day_number),
        ("NUM", numbers.day_number),
        ("TEEN|TENS", numbers.day_number),
        ("TENS -? DIGIT", numbers.added),
    ),
    "year": (
        ("YEAR", numbers.same),
        ("SHORTYEAR", numbers.short_year),
        ("TEEN|TENS <small>", numbers.spoken_year),
        ("TEEN|TENS zero|oh|o DIGIT", numbers.century_and_rest),
        ("DIGIT thousand and? <small>?", numbers.thousands),
        ("TEEN hundred and? <small>?", numbers.hundreds),
        ("DIGIT thousand DIGIT hundred and? <small>?", numbers.thousands_and_hundreds),
    ),
    "amount": (
        ("<count> UNIT", numbers.amount),
        ("<count> business|working|calendar|full|whole UNIT", numbers.amount),
        ("<vague> UNIT", numbers.vague_amount),
        ("half a|an UNIT", numbers.half),
        ("<count> and a half UNIT", numbers.and_a_half),
        ("<count> UNIT and a half", numbers.and_a_half),
        ("<amount1> ,? and? <amount>", numbers.plus),
    ),
    "amount1": (("<count> UNIT", numbers.amount),),
}

NAMES: dict[str, Rules] = {
    "holiday": tuple((name, days.holiday(falls_on)) for name, falls_on in HOLIDAYS.items()),
    "monthday": (
        ("MONTH .|-|/? the? <daynum>", days.month_day),
        ("the? <daynum> day? of|-|/? MONTH", days.day_month, guards.not_address),
        ("SLASHED", days.slashed, guards.looks_like_day),
        ("MONTH , <ordinal>", days.month_day),
        ("on DOTTED", days.slashed),
        ("on NUM - NUM", days.dashed),
    ),
    "name": (
        ("MONTH", periods.month),
        ("month of MONTH", periods.month),
        ("SEASON", periods.season),
        ("<holiday>", ranges.same),
        ("<monthday>", ranges.same),
        ("WEEKDAY .? ,|-|(? <monthday>", ranges.second),
        ("WEEKDAY", days.weekday),
        ("WEEKDAY .? the? <daynum>", days.weekday_the),
        ("QUARTER", periods.quarter),
        ("the? <ordinal> quarter", periods.quarter),
        ("HALF", periods.half_year),
        ("week NUM", periods.iso_week, guards.not_of_a_course),
    ),
    "named": (
        ("MONTH", periods.month, guards.month_alone),
        ("SEASON", periods.season, guards.season_alone),
        ("<holiday>", ranges.same, guards.holiday_alone),
        ("<monthday>", ranges.same),
        ("WEEKDAY .? ,|-|(? <monthday>", ranges.second),
        ("WEEKDAY", days.weekday, guards.weekday_alone),
        ("WEEKDAY .? the? <daynum>", days.weekday_the),
        (f"WEEKDAY ,? <clock> and|{TO} <clock>", days.weekday),
        ("<ordinal> WEEKDAY", days.nth_weekday_of_month),
        ("the <ordinal>", days.day_of_month, guards.day_number),
        ("on|for the? NUM", days.day_of_month, guards.bare_day_number),
        ("QUARTER", periods.quarter),
        ("the? <ordinal> quarter", periods.quarter, guards.quarter_of_a_year),
        ("HALF", periods.half_year, guards.quarter_of_a_year),
        ("week NUM", periods.iso_week, guards.not_of_a_course),
    ),
}

PERIODS: dict[str, Rules] = {
    "unit": (
        (f"{THIS} {KIND_OF_UNIT} UNIT", periods.this_unit),
        (f"the? {LAST} {KIND_OF_UNIT} UNIT", periods.last_unit, guards.not_last_day),
        ("the? UNIT before last", periods.unit_before_last),
        ("the year", periods.this_year, guards.after_of),
        ("the? year of? <year>", periods.year),
        ("cy <year>", periods.year),
    ),
    "rolling": (
        (f"in|over|during|within|for|throughout the? {LAST} UNIT", periods.past_unit),
        ("the? past UNIT", periods.past_unit),
        ("this past UNIT", periods.past_unit),
        (f"the? {LAST}|past <count> UNIT", periods.last_units),
        (f"the? <count> {LAST}|past UNIT", periods.last_units),
        (f"the? {LAST}|past <vague> UNIT", periods.few_last_units),
        (f"the? {LAST}|past <amount>", periods.last_amount),
        (f"so far {THIS} UNIT", periods.so_far),
        ("the? UNIT to date", periods.so_far),
        ("ytd", periods.year_to_date),
    ),
    "day": (
        ("today|todays|tonight", days.days_back(0)),
        (f"{THIS} DAYPART", days.days_back(0)),
        ("earlier today", days.days_back(0)),
        ("yesterday|yesterdays", days.days_back(1)),
        ("yesterday DAYPART", days.days_back(1)),
        ("last night", days.last_night),
        ("last DAYPART", days.days_back(1)),
        ("the? day|night|evening before yesterday|last", days.days_back(2)),
        ("DATE", days.full_date),
        ("NUMERIC", days.numeric_date),
        ("SLASHED , YEAR", days.slashed_with_year),
        ("YEAR -|/ MONTH -|/ <daynum>", days.year_month_day),
        ("on YEAR NUM NUM", days.year_month_day),
        ("WEEKDAY ,|-|(? <day>", ranges.second),
    ),
    "ago": (
        ("<amount> ago|back", days.ago),
        ("<amount> ago today|yesterday", days.ago),
        (f"{ROUGHLY} <amount> ago", days.roughly_ago),
        ("more than <amount> ago", days.longer_than_ago),
        ("over <amount> ago", days.longer_than_ago),
        ("more than <amount> before <day>", days.longer_before),
        ("<count> WEEKDAY|WEEKDAYS ago", days.weekdays_ago),
        ("<count> weekend|weekends ago", periods.weekends_ago),
        ("<amount> ago on|last? WEEKDAY", days.weekday_ago),
        ("<amount> ago in <name>", periods.years_ago_in),
        ("<amount> before|prior <whole>", days.amount_before),
        ("<amount> after <whole>", days.amount_after),
        ("the UNIT before <whole>", days.unit_before),
        ("the UNIT after <whole>", days.unit_after),
        ("the WEEKDAY before <whole>", days.weekday_before),
        ("the WEEKDAY after <whole>", days.weekday_after),
    ),
    "nth": (
        ("the? <ordinal> UNIT of|in the? <whole>", periods.nth_unit_of),
        ("the? last|final UNIT of|in the? <whole>", periods.last_unit_of),
        ("the? <ordinal> WEEKDAY of|in the? <whole>", periods.nth_weekday_of),
        ("the? last|final WEEKDAY of|in? the? <whole>", periods.last_weekday_of),
        ("the? <ordinal> week of <whole> .? on? WEEKDAY", periods.weekday_of_nth_week),
        ("the? first <count> UNIT of|in the? <whole>", periods.first_units_of),
        ("the? last|final <count> UNIT of|in the? <whole>", periods.last_units_of),
        ("the? <ordinal> of <unit>", periods.day_within),
        ("the? UNIT of the? <whole>", periods.unit_around),
        ("the? UNIT of the <ordinal>", periods.unit_around_day),
        ("the? week beginning|starting|commencing|from on? <whole>", periods.week_from),
        ("w / c <whole>", periods.week_from),
        ("<amount> starting|beginning|from on? <whole>", periods.weeks_from),
        ("<holiday> weekend", periods.holiday_weekend),
        ("<holiday> weekend <year>", periods.holiday_weekend_in),
        ("<holiday> <year> weekend", periods.holiday_weekend_in),
    ),
    "part": (
        (f"earlier {THIS} UNIT", periods.earlier_in_unit),
        ("earlier in the UNIT", periods.earlier_in_unit),
        ("early|earlier in|-? the? <whole>", periods.part_of(periods.EARLY)),
        ("late|later in|-? the? <whole>", periods.part_of(periods.LATE)),
        ("the? mid -? <whole>", periods.part_of(periods.MIDDLE)),
        (
            "the? beginning|start of the? <whole>",
            periods.part_of(periods.EARLY, named_third=True),
        ),
        ("the? middle of the? <whole>", periods.part_of(periods.MIDDLE, named_third=True)),
        ("the? end of the? <whole>", periods.part_of(periods.LATE, named_third=True)),
        ("the? first half of the? <whole>", periods.half_of(1)),
        ("the? second half of the? <whole>", periods.half_of(2)),
    ),
    "era": (
        ("the? DECADE", periods.decade, guards.decade_alone),
        ("the? TEEN DECADE", periods.spoken_decade),
        ("the? two thousands", periods.two_thousands),
        ("the? <ordinal> century", periods.century),
        ("<year>", periods.year, guards.year_alone),
        ("YEARMONTH", periods.year_month),
        ("ISOWEEK", periods.written_iso_week),
    ),
    "dated": (
        ("<name> .? ,|of|in|-|/? <year>", periods.in_year),
        ("<name> of NUM", periods.in_short_year),
        ("<year> ,|-? the? <name>", periods.year_then),
        ("<name> ,|of|in|on? <unit>", periods.within),
        ("<unit> ,|-? in|on? <name>", periods.period_then),
        (f"the? {LAST} <name>", periods.last_named),
        ("this? past <name>", periods.past_named),
        (f"{THIS} <name>", periods.this_named, guards.not_this_may),
        ("the? <name> before last", periods.named_before_last),
    ),
    "period": tuple(
        (f"<{symbol}>", ranges.same)
        for symbol in ("day", "unit", "rolling", "ago", "nth", "part", "era", "dated")
    )
    + (("the weekend", periods.the_weekend, guards.weekend_past),),
    "whole": (
        ("<period>", ranges.same),
        ("<name>", ranges.same),
        ("<year>", periods.year),
        ("the? DECADE", periods.decade),
        ("the? UNIT", periods.this_unit, guards.not_a_day),
    ),
}

BOUNDS: dict[str, Rules] = {
    "point": (
        ("<period>", ranges.same),
        ("<named>", ranges.same),
    ),
    "bound": (
        ("<period>", ranges.same),
        ("<name>", ranges.same),
        (f"{THIS} <name>", periods.this_named),
        ("CLOCK ,|on? <bound>", ranges.same),
        ("<year>", periods.year, guards.not_counted),
        ("the <ordinal>", days.day_of_month),
        ("now|date|present", ranges.today),
        ("the? current|present date|day|time|moment", ranges.today),
    ),
    "clock": (("CLOCK|NUM", ranges.nothing_captured),),
    "monthish": (
        ("MONTH ,|of? <year>", periods.month_in_year),
        ("MONTH", periods.month),
        ("<unit>", ranges.same),
    ),
}

PHRASES: dict[str, Rules] = {
    "range": (
        (f"between the? <daynum> and|{TO} the? <daynum> of? <monthish>", ranges.days_of_month),
        (f"from? the? <daynum> {TO} the? <daynum> of? <monthish>", ranges.days_of_month),
        (f"between|from? MONTH the? <daynum> {TO} the? <daynum>", ranges.month_first),
        ("between MONTH the? <daynum> and the? <daynum>", ranges.month_first),
        ("MONTH between <daynum> and <daynum>", ranges.month_first),
        (
            f"between|from? MONTH the? <daynum> {TO} the? <daynum> ,|of? <year>",
            ranges.month_first_year,
        ),
        (f"from <daynum> {TO} <point>", ranges.day_to_date),
        (f"<unit> between|from WEEKDAY and|{TO} WEEKDAY", ranges.weekdays_in),
        (f"between <bound> and|{TO} <bound>", ranges.between),
        (f"from <bound> {TO} <bound>", ranges.between),
        (f"<point> {TO} <bound>", ranges.between),
        (f"<name> {TO} <name>", ranges.between),
        (f"<name> {TO} <period>", ranges.between),
        (f"YEAR {TO} YEAR", ranges.years, guards.not_in_a_code),
        (f"between|from? <clock> and|{TO} <clock> of|on? <point>", ranges.same),
        (f"<point> ,|at|from|between? <clock> and|{TO} <clock>", ranges.same),
    ),
    "open": (
        ("since|after the? beginning|start of the? <whole>", ranges.since),
        ("before|until|till the? end of the? <whole>", ranges.through),
        ("ever? since <point>", ranges.since),
        ("ever? since <year>", ranges.since_year),
        ("starting|beginning|effective on|from|in? <point>", ranges.since),
        ("from <point> on|onward|onwards|forward", ranges.since),
        ("<point> and|or after|later|onward|onwards|greater", ranges.since, guards.closing),
        ("after <point>", ranges.after),
        ("before <point>", ranges.before),
        ("prior to <point>", ranges.before),
        ("until|till|til <point>", ranges.before),
        ("up to|until <point>", ranges.before),
        ("around|near|circa <point>", ranges.around),
    ),
    "vaguely": (
        ("recently|lately", periods.vaguely),
        ("the other day|night|evening|morning|week|afternoon", periods.vaguely),
        ("a little? while ago|back", periods.vaguely),
        ("some time ago", periods.vaguely),
        ("not long|so? long? ago", periods.vaguely),
    ),
    "not_past": (
        ("tomorrow|tomorrows DAYPART?", ranges.not_past),
        ("the? day after tomorrow", ranges.not_past),
        ("this? next|coming|upcoming|following <count>? UNIT", ranges.not_past),
        ("this? next|coming|upcoming|following <vague>? UNIT", ranges.not_past),
        ("this? next|coming|upcoming|following <name>", ranges.not_past),
        ("in|within <amount>", ranges.not_past),
        ("<amount> from now|today|tomorrow", ranges.not_past),
        ("<amount> later|hence", ranges.not_past),
        ("every|each|any|per other? <ordinal>? UNIT|DAYPART", ranges.not_past),
        ("every|each|any|per other? <ordinal>? <name>", ranges.not_past),
        (f"later {THIS} UNIT|DAYPART", ranges.not_past),
        ("later today|tonight", ranges.not_past),
        ("good|happy|nice|great UNIT|DAYPART", ranges.not_past),
        ("happy|merry <holiday>", ranges.not_past),
        ("by <named>", ranges.not_past),
    ),
    "phrase": (
        ("<not_past>", ranges.same),
        ("<range>", ranges.as_span),
        ("<open>", ranges.same),
        ("<point>", ranges.as_span),
        ("<vaguely>", ranges.same),
    ),
}

SYMBOLS: Mapping[str, Rules] = {**NUMBERS, **NAMES, **PERIODS, **BOUNDS, **PHRASES}
GRAMMAR = Grammar(SYMBOLS)
