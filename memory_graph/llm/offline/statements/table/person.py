"""How do people say who they are: name, age, origin, family, languages?"""

from memory_graph.llm.offline.statements.known_words import languages, nationality
from memory_graph.llm.offline.statements.names import capitalised_name, person_names
from memory_graph.llm.offline.statements.pattern import answering, ending, stating
from memory_graph.llm.offline.statements.subjects import RELATIONS, relation
from memory_graph.llm.offline.statements.values import age, birthday, count, verbatim

_BREEDS = (
    "retriever|shepherd|beagle|hound|terrier|poodle|labrador|lab|husky|collie|corgi|bulldog|"
    "dachshund|spaniel|tabby|siamese|persian|maine coon|ragdoll|mutt|pug|boxer|chihuahua"
)
_MARRIED = "married|engaged|divorced"
_NTH_BIRTHDAY = r"(?:my|her|his) (?P<v>\d+)(?:st|nd|rd|th) birthday(?: .+)?"

GROUPS = (
    (
        stating("age", r"be (?P<v>.+)", age),
        stating("age", r"be an? (?P<v>\d+)[- ]years?[- ]old .+", age),
        stating("age", rf"(?:have )?(?:celebrated|had) {_NTH_BIRTHDAY}", age),
        stating("age", r"(?:have )?turn(?:ed)? (?P<v>[^,]+)(?:,.+)?", age),
        stating("birthday", r"was born (?:on )?(?P<v>.+)", birthday),
        stating("nationality", r"be (?P<v>.+)", nationality),
        stating(
            "relationship_status",
            rf"be (?P<v>{_MARRIED}|single|widowed|separated|in a relationship)(?: (?:to|with) .+)?",
        ),
        stating("relationship_status", rf"(?:have )?(?:got|get) (?P<v>{_MARRIED})(?: .+)?"),
        ending("relationship_status", r"(?:have )?(?:broke|broken|split) up(?: .+)?"),
        ending("name", r"(?:have )?(?:passed away|died|was put down)(?: .+)?"),
        stating("name", r"(?:have )?changed my name to (?P<v>.+)", person_names),
        stating("name", r"be (?:called|named) (?P<v>.+)", person_names),
        stating("name", r"be (?P<v>.+)", capitalised_name),
    ),
    (stating("pronouns", r"(?:use|go by) (?P<v>\w+/\w+)(?: pronouns)?", verbatim),),
    (stating("nickname", r"go by (?:the name )?(?P<v>(?-i:[A-Z])\w+)", person_names),),
    (
        stating(
            "children",
            r"(?:have(?: .+? and)?|be .+? with) (?P<v>\w+) (?:kids|children)",
            count,
        ),
        stating(
            "children",
            r"be (?:an?|the) (?:\w+ )?(?:mother|father|mom|mum|dad|parent) of (?P<v>\w+)",
            count,
        ),
        answering(
            "children",
            r"have (?:any )?(?:kids|children)",
            lambda _: ("",),
            yes="some",
            no="none",
        ),
    ),
    (
        answering(
            "has:{}",
            r"(?:have|own|got|adopted|bought|rescued) (?:an? |another )"
            rf"(?:new |old |little |big )*(?P<v>(?:twin )?(?:{RELATIONS}))",
            lambda word: (relation(word),),
            yes="yes",
            no=None,
        ),
    ),
    (stating("handedness", r"be (?P<v>left|right)-?handed"),),
    (stating("language", r"(?:speak|be (?:fluent|native|bilingual) in) (?P<v>.+)", languages),),
    (stating("breed", rf"be an? (?P<v>(?:\w+ ){{0,2}}(?:{_BREEDS})(?: mix)?)"),),
    (stating("height", r"be (?P<v>[\d.,]+ ?(?:m|cm|feet|ft)) tall"),),
    (stating("weight", r"weigh (?P<v>[\d.,]+ ?\w+)"),),
)
