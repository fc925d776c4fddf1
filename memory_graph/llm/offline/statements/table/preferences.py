"""How do people say what they like, and how they want things to be?"""

from memory_graph.llm.offline.statements.pattern import answering, stating
from memory_graph.llm.offline.statements.values import answer_style, things

_PREFER = r"(?:prefer|like|love|use|want|(?:have )?switched to)"
_ANSWERS = r"(?:answers|replies|responses|explanations)"
_FOND = r"(?:fan of|fond of|into|obsessed with|crazy about|keen on)"

GROUPS = (
    (
        stating("theme", rf"{_PREFER} (?:the )?(?P<v>dark|light) (?:mode|theme)s?(?: .*)?"),
        stating("units", rf"{_PREFER} (?:the )?(?P<v>metric|imperial)(?: units?| system)?"),
        stating("units", rf"{_PREFER} (?P<v>celsius|fahrenheit|kilomet(?:er|re)s|miles|pounds)"),
        stating("seat", rf"{_PREFER} (?:an? |the )?(?P<v>window|aisle|middle) seats?(?: .*)?"),
        stating(
            "clock",
            rf"{_PREFER} (?:an? |the )?(?P<v>24|12)[- ]?h(?:our)?s?(?: clock| format| time)?",
            lambda hours: (f"{hours}-hour",),
        ),
        stating(
            "answer_style",
            rf"(?:{_PREFER}|would rather (?:have|"
            rf"get)) (?:your )?(?P<v>[\w -]+? {_ANSWERS}(?: with .*)?)",
            answer_style,
        ),
        stating(
            "answer_style", rf"(?:like|prefer) (?:my |your )?(?P<v>{_ANSWERS} .+)", answer_style
        ),
        stating("editor", r"use (?P<v>[\w ]+?) as my (?:main )?(?:code |text )?editor"),
        stating("choice", r"prefer (?P<v>.+?) (?:over|to|rather than) (?P<rival>.+)", things),
        stating("choice", r"(?:like|love) (?P<v>.+?) (?:more|better) than (?P<rival>.+)", things),
    ),
)

TASTES = (
    answering(
        "taste:{}",
        r"(?:(?:have come to )?(?:like|love|enjoy|adore|prefer)|"
        r"have (?:liked|loved|enjoyed)) (?P<v>.+)",
        things,
        yes="like",
        no="dislike",
    ),
    answering(
        "taste:{}",
        r"be an? (?:big |huge )?(?P<v>(?-i:[A-Z]).+?) fan",
        things,
        yes="like",
        no="dislike",
    ),
    answering(
        "taste:{}",
        rf"be (?:an? )?(?:big |huge )?{_FOND} (?P<v>.+)",
        things,
        yes="like",
        no="dislike",
    ),
    answering(
        "taste:{}",
        r"(?:have come to |have )?(?:hate|dislike|despise|detest|can not (?:stand|bear)|hated|"
        r"gone off|be (?:sick|tired|bored) of) (?P<v>.+)",
        things,
        yes="dislike",
        no=None,
    ),
)
