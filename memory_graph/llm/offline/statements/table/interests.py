"""How do people say what they do for pleasure and what they work towards?"""

from memory_graph.llm.offline.statements.pattern import ending, stating
from memory_graph.llm.offline.statements.values import LIST, Reader, clean, intention

_ADJUNCT = r"(?: (?:in|on|at|every|with|twice|once|three|four|for|since|when|whenever|as)\b.*)?"
_SPORTS = (
    "yoga|pilates|karate|judo|ballet|crossfit|gymnastics|martial arts|ceramics|pottery|"
    "photography|gardening|archery|taekwondo|aikido|calligraphy|improv|stand-up"
)
_AIMS = (
    "learn|become|lose|gain|run|travel|visit|write|read|save|buy|study|quit|climb|get fit|"
    "get into|start|finish my"
)


def _with(verb: str) -> Reader:
    """Read an activity or an aim as a whole: `for a marathon` → `train for a marathon`."""
    return lambda text: (f"{verb} {clean(text)}",)


GROUPS = (
    (
        stating(
            "hobby",
            r"play (?P<v>(?!with|around|along|ever\b|\w+ly\b)(?:the )?\w+(?:(?:, | and )\w+)*?)"
            rf"{_ADJUNCT}",
            lambda text: tuple(f"playing {game}" for game in LIST.split(clean(text))),
        ),
        stating("hobby", rf"do (?P<v>{_SPORTS}){_ADJUNCT}"),
        stating(
            "hobby", rf"collect (?P<v>(?!the |my |your )[\w ]+?){_ADJUNCT}", _with("collecting")
        ),
        stating(
            "hobby",
            r"(?:have )?(?:taken up|took up|gotten into|got into) (?P<v>(?!an? |the |trouble).+)",
        ),
        stating("hobby", r"sing in (?P<v>.+)", _with("singing in")),
        stating("hobby", r"volunteer at (?P<v>.+)", _with("volunteering at")),
        stating("hobby", r"go to the (?P<v>gym)(?: .+)?", _with("going to the")),
        ending("hobby", r"(?:have )?(?:gave up|given up) (?P<v>(?!the |my |on )[a-z]\w+)"),
    ),
    (
        stating("goal", r"train for (?P<v>.+)", _with("train for")),
        stating("goal", r"train to (?:be|become) (?P<v>.+)", _with("become")),
        stating("goal", r"study for (?P<v>.+)", _with("study for")),
        stating("goal", r"prepare for (?P<v>.+)", _with("prepare for")),
        stating("goal", r"save(?: up)? for (?P<v>.+)", _with("save up for")),
        stating("goal", rf"try to (?P<v>(?:{_AIMS})\b.*)", intention),
        stating(
            "goal",
            r"learn (?P<v>(?!(?:that|about|an? (?:lot|ton|bit)|with|from|so|new|more|some|"
            r"things|what|it)\b).+)",
            _with("learn"),
        ),
        stating(
            "goal",
            rf"(?:want|plan|hope|aim|would like|would love) to (?P<v>(?:{_AIMS})\b.*)",
            intention,
        ),
    ),
)
