"""How do words, numbers and numeric dates look in a text?"""

import re

from memory_graph.policy.time_phrases.lexicon import MONTHS, UNITS

_MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNIT_NAMES = "|".join(sorted(UNITS, key=len, reverse=True))
_ALONE = r"(?<![\d.,:_])(?<!\d[-/])"
"""Not the tail of a longer number, a version, a phone number or a code."""
_ENDS = r"(?![\d_])(?![-/.:,]\d)(?!%)"
_ALONE_SLASHED = r"(?<![\d.,:_/])"
_ENDS_SLASHED = r"(?![\d_])(?![/.:]\d)(?!%)"
"""Dates with slashes may be joined by a dash: 10/1-11/7."""

TOKEN = re.compile(
    rf"""
      (?P<weekend> (?<!\w)week(?:-ends?|\send)(?![\w-]) )
    | (?P<plain> (?<!\w)[^\W\d_]+(?:'[^\W\d_]*)?(?:(?![\w.:@])|(?=\.(?:\s|$))) )
    | (?P<link> https?://\S+ | [\w.+-]{{1,64}}@\S{{1,99}}
              | [a-z]\w*\.(?:com|org|net|io|dev|ai|py|js|txt|md)\b )
    | (?P<tag> [$€£\#@]\s?\w[\w.,]* )
    | (?P<isoweek> {_ALONE}\d{{4}}-?w\d{{2}}\b )
    | (?P<ymd> {_ALONE}\d{{4}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}{_ENDS} )
    | (?P<ymd8> {_ALONE}(?<!\w)(?:19|20)\d{{6}}(?!\w){_ENDS} )
    | (?P<dmy> {_ALONE}(?<![a-z])\d{{1,2}}(?:-\d{{1,2}}-(?:\d{{4}}|\d{{2}})
              |\.\d{{1,2}}\.\d{{4}}){_ENDS}
              | {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}}){_ENDS_SLASHED} )
    | (?P<ym> {_ALONE}\d{{4}}\s?[-/]\s?\d{{1,2}}(?!\s?[a-z]){_ENDS} )
    | (?P<my> {_ALONE}(?<![a-z][-/])\d{{1,2}}\s?[-/]\s?\d{{4}}(?!\w){_ENDS} )
    | (?P<clock> {_ALONE}\d{{1,2}}(?::\d{{2}}){{1,2}}(?:\s?[ap]\.?m\b)?
              | {_ALONE}\d{{1,2}}(?:\.\d{{2}})?(?:\s?[ap]\.?m\b|\s?o'?clock\b|[ap]\b) )
    | (?P<md> {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}(?!\w){_ENDS_SLASHED} )
    | (?P<decade> (?<![\w.,])(?<!\d-)'?(?:\d{{3}}0\s?'?s|[1-9]0'?s)\b )
    | (?P<shortyear> (?:(?<!\w)|(?<=q\d)|(?<=h\d))'\d{{2}}(?!\w) )
    | (?P<ordinal> (?<!\w)\d{{1,2}}(?:st|nd|rd|th)\b )
    | (?P<gluedmonth> (?<!\w)(?:{_MONTH_NAMES})(?=\d{{1,4}}\b) )
    | (?P<gluednumber> {_ALONE}(?<!\w)\d{{1,3}}(?=(?:{_UNIT_NAMES}|[smhdwy]|mo)\b)
              | (?<![\w.,-])\d{{1,2}}(?=(?:{_MONTH_NAMES})\b) )
    | (?P<daybeforeyear> {_ALONE}(?<!\w)\d{{1,2}}(?=,(?:19|20)\d\d\b) )
    | (?P<fiscal> (?<!\w)[fc]y'?(?:\d{{4}}|\d{{2}})\b )
    | (?P<weekcode> (?<!\w)(?:w|wk|cw)\d{{2}}\b )
    | (?P<gluedyear> (?<!\w)\d{{4}}(?=[qh]\d\b) )
    | (?P<quarter> (?<![a-z])q[1-4](?!\w) | (?<!\w)[1-4]q(?=\d\d\b|\s\d{{4}}\b) )
    | (?P<half> (?<![a-z])h[12](?!\w) | (?<!\w)[12]h(?=\s\d{{4}}\b) )
    | (?P<mixed> [^\W\d_]+[\d_]\w* | \d[\d.,]*[^\W\d]\w* | _\w* )
    | (?P<number> \d+(?:[.,:]\d+)* )
    | (?P<word> [^\W\d_]+(?:'[^\W\d_]*)? )
    | (?P<dash> [-–—~] )
    | (?P<mark> [^\w\s] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
