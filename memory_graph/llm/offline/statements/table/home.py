"""How do people say where they live and come from?"""

from memory_graph.llm.offline.statements.pattern import denying, stating
from memory_graph.llm.offline.statements.places import city, country, place
from memory_graph.llm.offline.statements.values import verbatim

_LIVE = r"(?:have )?(?:live|lived)(?: alone| together| with .+?)? in"
_NEAR = r"live (?P<v>(?:outside|near|close to|north of|south of|east of|west of) (?-i:[A-Z]).+)"
_BASED = r"be (?:based|located|settled|living) (?:in|out of)"
_MOVED = r"(?:have |be )?(?:moved|relocated)(?: back| over)?(?: from .+?)? to"

GROUPS = (
    (
        stating("city", rf"(?:{_LIVE}|{_BASED}|{_MOVED}) (?P<v>.+)", city),
        stating("city", _NEAR, verbatim),
        denying("city", r"live (?P<v>there|here)", lambda _: ("",)),
    ),
    (stating("address", r"live at (?P<v>\d+ .+)", verbatim),),
    (stating("country", rf"(?:{_LIVE}|{_BASED}|{_MOVED}) (?P<v>.+)", country),),
    (
        stating("hometown", r"(?:be|come)(?: originally)? from (?P<v>.+)", place),
        stating("hometown", r"be an? [\w -]+? from (?P<v>(?-i:[A-Z]).+)", place),
        stating("hometown", r"(?:grew up|was born(?: and raised)?|was raised) in (?P<v>.+)", place),
    ),
    (
        stating("timezone", r"be in (?:the )?(?P<v>.+?) time ?zone", verbatim),
        stating("timezone", r"be on (?P<v>[\w/+-]+) time", verbatim),
    ),
)
