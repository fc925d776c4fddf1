"""How do people say what they drive, carry and work with?"""

from memory_graph.llm.offline.statements.pattern import denying, ending, stating
from memory_graph.llm.offline.statements.values import named_tools, things, tools
from memory_graph.llm.offline.statements.vocabulary import CAR_MAKES, OPERATING_SYSTEMS

_GOT = (
    r"(?:have )?(?:have|own|use|bought|got|leased|upgraded to|traded in .+? for)"
    r"(?: an?)?(?: brand)?(?: new| used)?"
)
_COMPUTERS = "macbook|mac|thinkpad|dell|imac|mac mini|surface|framework laptop|chromebook"
_PHONES = "pixel|iphone|galaxy|fairphone|oneplus"
_SWITCHED = r"(?:have )?(?:switched|migrated)"

GROUPS = (
    (
        stating("car", r"drive an? (?P<v>(?:\w+ )?(?-i:[A-Z]).*)"),
        stating("car", rf"{_GOT} (?P<v>(?:electric |hybrid |\d{{4}} )?(?:{CAR_MAKES})\b.*)"),
        denying("car", r"(?:have|own) an? (?:\w+ )?car"),
        stating("car", r"(?:have|own) an? (?P<v>(?:\w+ )?car)"),
        ending("car", r"(?:have )?(?:sold|got rid of|crashed|totalled) my (?:\w+ )?car"),
        stating(
            "os",
            rf"(?:use|run|be on|be running|be using|{_SWITCHED} (?:from \w+ )?to) "
            rf"(?P<v>(?:{OPERATING_SYSTEMS})(?: [\d.]+)?)(?: (?:with|and|on) .+)?",
        ),
        stating("os", rf"be an? (?P<v>{OPERATING_SYSTEMS}) user"),
        stating("computer", rf"{_GOT} (?P<v>(?:{_COMPUTERS})\b.*)"),
        stating("phone", rf"{_GOT} (?P<v>(?:{_PHONES})\b.*)"),
        ending("tool", rf"{_SWITCHED} from (?P<v>[\w.+# -]+?) to .*"),
        ending("tool", r"(?:have )?(?:uninstalled|ditched|dropped) (?P<v>(?-i:[A-Z])\w+)"),
    ),
    (stating("tool", rf"{_SWITCHED} from [\w.+# -]+? to (?P<v>.+)", things),),
)

TOOLS = (
    stating("tool", rf"(?:use|{_SWITCHED} to) (?P<v>.+)", tools),
    stating("tool", r"be using (?P<v>.+)", named_tools),
)
