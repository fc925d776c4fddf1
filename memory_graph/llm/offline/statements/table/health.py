"""How do people say what they eat, cannot eat, suffer from and take?"""

from memory_graph.llm.offline.statements.known_words import CONDITIONS, condition
from memory_graph.llm.offline.statements.pattern import answering, ending, stating
from memory_graph.llm.offline.statements.values import things

_DIETS = (
    "vegetarian|vegan|pescatarian|pescetarian|omnivore|flexitarian|keto|paleo|halal|kosher|"
    "gluten-free|low-carb|plant-based|mediterranean"
)
_MEDICATION = (
    r"\w+(?:formin|statin|pril|olol|cillin|zepam|xetine|sartan|prazole|profen|mycin|thyroxine)|"
    r"insulin|aspirin|antidepressants|antihistamines|statins|warfarin|ritalin|lithium"
)

GROUPS = (
    (
        answering("diet", r"eat meat", lambda _: ("",), yes="eats meat", no="no meat"),
        stating("diet", rf"be (?:an? |on (?:an? )?)?(?P<v>{_DIETS})(?: diet)?(?: but .*)?"),
        stating(
            "diet",
            rf"(?:have )?(?:went|gone|go|turned|became|become|eat|follow an?) (?P<v>{_DIETS})"
            r"(?: diet)?",
        ),
        answering(
            "eats:{}", r"(?:went back to )?eat(?:ing)? (?P<v>.+)", things, yes="yes", no="no"
        ),
        answering("drinks:alcohol", r"drink(?: at all)?", lambda _: ("",), yes="yes", no="no"),
        answering("drinks:{}", r"drink (?P<v>.+)", things, yes="yes", no="no"),
        answering("smokes", r"smoke(?: .+)?", lambda _: ("",), yes="yes", no="no"),
    ),
    (
        stating("allergy", r"be (?:\w+ )?allergic to (?P<v>.+)", things),
        stating("allergy", r"have an? (?:\w+ )?allergy to (?P<v>.+)", things),
        stating("allergy", r"have an? (?:severe |mild |bad )?(?P<v>.+) allergy", things),
        ending("allergy", r"(?:have )?(?:outgrew|outgrown|got over) my (?P<v>.+) allergy", things),
        stating("intolerance", r"be (?P<v>[\w-]+?)[- ]intolerant"),
        stating("intolerance", r"be (?:sensitive to|intolerant (?:to|of)) (?P<v>.+)", things),
        stating("intolerance", r"can not (?:have|eat|drink|digest|tolerate) (?P<v>.+)", things),
        stating(
            "condition", rf"(?:have|suffer from|live with) (?P<v>(?:\w+ ){{0,2}}?(?:{CONDITIONS}))"
        ),
        stating("condition", r"(?:was|got|be) diagnosed with (?P<v>.+)"),
        stating("condition", r"be (?P<v>.+)", condition),
        stating("condition", r"be (?P<v>(?:partially )?(?:deaf|blind)(?: in one (?:ear|eye))?)"),
    ),
    (stating("medication", rf"(?:take|be on) (?:\d+ ?mg (?:of )?)?(?P<v>{_MEDICATION})(?: .+)?"),),
)
