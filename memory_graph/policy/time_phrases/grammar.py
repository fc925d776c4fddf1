"""How time phrases are written: every symbol, its patterns, and what each pattern means.

In a pattern a lowercase word stands for itself (`to|until`), a `KIND` or a `<symbol>` is captured
and handed to the function beside it in order, and `?` makes a place optional. The longest reading
wins, then the first in the table. A third column names the guard that looks at the words around.
"""

from collections.abc import Mapping

from memory_graph.policy.time_phrases import (
    days,
    distances,
    guards,
    names,
    number_guards,
    occurrences,
    passing,
    ranges,
    units,
    weekday_guards,
)
from memory_graph.policy.time_phrases.ahead import AHEAD
from memory_graph.policy.time_phrases.counting import COUNTED
from memory_graph.policy.time_phrases.naming import NAMES, NUMBERS, THIS, TO
from memory_graph.policy.time_phrases.patterns import Grammar, Rules
from memory_graph.policy.time_phrases.points import PERIODS

BOUNDS: dict[str, Rules] = {
    "point": (
        ("<period>", passing.same),
        ("<named>", passing.same),
    ),
    "bound": (
        ("<period>", passing.same),
        ("<name>", passing.same),
        (f"{THIS} <name>", occurrences.this_named),
        ("CLOCK ,|on? <bound>", passing.same),
        ("<year>", names.year, number_guards.not_counted),
        ("the <ordinal>", days.day_of_month),
        ("now|date|present", ranges.today),
        ("the? current|present date|day|time|moment", ranges.today),
    ),
    "clock": (("CLOCK|NUM", passing.clock_time),),
    "monthish": (
        ("MONTH ,|of? <year>", occurrences.month_in_year),
        ("MONTH", names.month),
        ("<unit>", passing.same),
    ),
}

PHRASES: dict[str, Rules] = {
    "range": (
        (f"between the? <daynum> and|{TO} the? <daynum> of? <monthish>", ranges.days_of_month),
        (f"from? the? <daynum> {TO} the? <daynum> of? <monthish>", ranges.days_of_month),
        (f"between|from? MONTH the? <daynum> {TO} the? <daynum>", ranges.month_first),
        (f"WEEKDAY .? ,? MONTH the? <daynum> {TO} the? <daynum>", ranges.weekday_month_first),
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
        (f"from? <point> at|@|,? DAYPART|CLOCK {TO} <bound>", ranges.between_hours),
        (f"<name> {TO} <name>", ranges.between),
        (f"<name> {TO} <period>", ranges.between),
        ("<point> and <bound>", ranges.adjoining),
        ("WEEKDAY and WEEKDAY", ranges.adjoining_weekdays, weekday_guards.unmistakable_weekdays),
        ("<name> and <dated>", ranges.adjoining),
        (f"YEAR {TO} YEAR", ranges.years, number_guards.not_in_a_code),
        (f"between|from? <clock> and|{TO} <clock> of|on? <point>", passing.same),
        (f"<point> ,|at|from|between? <clock> and|{TO} <clock>", passing.same),
    ),
    "open": (
        ("since|after the? beginning|start of the? <whole>", ranges.since),
        ("before|until|till|through the? end of the? <whole>", ranges.through),
        ("up to|until|till the? end of the? <whole>", ranges.through),
        ("ever? since around|about|roughly? <point>", ranges.since),
        ("ever? since <year>", ranges.since_year),
        ("since CLOCK|DAYPART", days.days_back(0)),
        ("starting|beginning|effective on|from|in? <point>", ranges.since),
        ("from <point> on|onward|onwards|forward", ranges.since),
        ("<point> and|or after|later|onward|onwards|greater", ranges.since, guards.closing),
        ("after <point>", ranges.after),
        ("before <point>", ranges.before),
        ("prior to <bound>", ranges.before),
        ("until|till|til <point>", ranges.before),
        ("up to|until <point>", ranges.before),
        ("around|near|circa <point>", ranges.around),
    ),
    "vaguely": (
        ("recently|lately", units.vaguely, guards.not_compared),
        ("the other day|night|evening|morning|week|afternoon", units.vaguely),
        ("a little|good|long|short? while ago|back", units.vaguely),
        ("some time ago", units.vaguely),
        ("not too|so|that|very? long ago", units.vaguely),
        ("a? moment|moments|seconds ago", distances.moments_ago),
        ("a second ago", distances.moments_ago),
    ),
    "phrase": (
        ("<not_past>", passing.same),
        ("<range>", ranges.as_span),
        ("<point>", ranges.as_span),
        ("<open>", passing.same),
        ("<vaguely>", passing.same),
    ),
}

SYMBOLS: Mapping[str, Rules] = {
    **NUMBERS,
    **NAMES,
    **COUNTED,
    **PERIODS,
    **AHEAD,
    **BOUNDS,
    **PHRASES,
}
GRAMMAR = Grammar(SYMBOLS)
