"""How phrases are written that look ahead, or come round again, and so name no past time."""

from memory_graph.policy.time_phrases import guards, passing, ranges, weekday_guards
from memory_graph.policy.time_phrases.naming import ROUGHLY, THIS, TO
from memory_graph.policy.time_phrases.patterns import Rules

NEXT = "next|coming|upcoming|following"

AHEAD: dict[str, Rules] = {
    "future": (
        ("tomorrow|tomorrows DAYPART?", passing.not_past),
        ("the? day after tomorrow", passing.not_past),
        (f"this? {NEXT} <count>? UNIT", passing.not_past),
        (f"this? {NEXT} <vague>? UNIT", passing.not_past),
        (f"this? {NEXT} <name>", passing.not_past),
        ("the? <name> after next", passing.not_past),
        ("the? UNIT after next", passing.not_past, guards.names_nothing),
        ("<amount> from right? now|today|tomorrow", passing.not_past),
        ("<count> WEEKDAYS|MONTHS|SEASONS from now|today", passing.not_past),
        ("<amount> later|hence", passing.not_past),
    ),
    "regularly": (
        ("<again>", passing.same),
        ("every|each|any <count> UNIT", passing.not_past),
        ("once|twice|thrice a|an|per|every|each UNIT", passing.not_past),
        ("<count> times a|an|per|every|each UNIT", passing.not_past),
        ("daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually", passing.not_past),
    ),
    "again": (
        ("every|each|any|per other? <ordinal>? UNIT|DAYPART", passing.not_past),
        ("every|each|any|per other? <ordinal>? <name>", passing.not_past),
        ("<count> UNIT of <holiday>", passing.not_past),
        ("every|each <ordinal>? UNIT|WEEKDAY of|in the? <whole>", passing.not_past),
    ),
    "habit": (
        (f"WEEKDAY {TO} WEEKDAY", passing.not_past, weekday_guards.working_week),
        (f"SEASON {TO} SEASON", passing.not_past, weekday_guards.compared_seasons),
    ),
    "not_past": (
        ("<habit>", passing.same),
        ("<future>", passing.same),
        ("<regularly>", passing.same),
        ("<regularly> and|or|,? <name>", passing.not_past),
        ("<regularly> on|in|at|until|till|from|since? the? <point>", passing.not_past),
        ("every|each <ordinal> of the? UNIT|MONTH", passing.not_past),
        ("every|each <ordinal> and|or <ordinal> of the? UNIT|MONTH", passing.not_past),
        ("the? <ordinal> WEEKDAY|UNIT of|in every|each UNIT", passing.not_past),
        ("the? <ordinal> and|or <ordinal> WEEKDAY|UNIT of|in every|each UNIT", passing.not_past),
        ("the? last WEEKDAY|UNIT of|in every|each UNIT", passing.not_past),
        ("the? <ordinal> of every|each UNIT", passing.not_past),
        ("<name> ,|of|in|on|from? the? <future>", passing.not_past),
        ("early|late|mid -? <name> ,|of|in? the? <future>", passing.not_past),
        ("the? <ordinal> UNIT|WEEKDAY? .? of|in the? <future>", passing.not_past),
        ("the? last|final UNIT|WEEKDAY .? of|in the? <future>", passing.not_past),
        ("the? end|beginning|start|middle of the? <future>", passing.not_past),
        ("<future> ,? in|on? <name>", passing.not_past),
        ("<future> ,? on? the <ordinal>", passing.not_past),
        ("in|within <amount>", passing.not_past, guards.ahead),
        (f"in|within {ROUGHLY} <amount>", passing.not_past, guards.ahead),
        ("<name> in <amount>", passing.not_past, guards.ahead),
        ("UNIT|long until|till|til <bound>", passing.not_past),
        (f"later {THIS} UNIT|DAYPART", passing.not_past),
        ("later today|tonight", passing.not_past),
        ("good|happy|nice|great UNIT|DAYPART", passing.not_past),
        ("happy|merry <holiday>", passing.not_past),
        ("by <named>", passing.not_past),
        ("by <period>", ranges.by),
    ),
}
