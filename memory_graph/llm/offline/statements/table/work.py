"""How do people say what they do, for whom, and what they study?"""

from memory_graph.llm.offline.statements.known_words import programming_languages
from memory_graph.llm.offline.statements.pattern import denying, ending, stating
from memory_graph.llm.offline.statements.roles import (
    field_of_study,
    occupation,
    organisation,
    stated_occupation,
)

_NAME = r"(?P<v>(?-i:[A-Z]).*)"
_DEGREE = r"(?:an? |my )?(?:\w+ )?(?:PhD|doctorate|master's|masters|bachelor's|degree|MSc|BSc|MBA)"
_FIRED = r"(?:was |got )?(?:fired|laid off|let go|made redundant)"

GROUPS = (
    (
        stating("job", r"(?:have )?work(?:ed)? (?:.+? )?as (?P<v>.+)", stated_occupation),
        stating("job", r"(?:have )?(?:joined|started at) (?-i:[A-Z]).*? as (?P<v>.+)", occupation),
        stating("job", r"(?:have )?(?P<v>retired)(?: .+)?"),
        stating("job", r"be (?P<v>retired|self-employed|unemployed)(?:,.*)?"),
        stating("job", r"be (?P<v>between jobs)", lambda _: ("unemployed",)),
        stating(
            "job",
            r"(?:have )?(?:got |be |was )?(?:promoted|hired|appointed) (?:to|as) (?P<v>.+)",
            stated_occupation,
        ),
        stating("job", r"(?:have )?(?:became|become|be made|was made) (?P<v>.+)", occupation),
        stating("job", r"be (?P<v>.+)", occupation),
        stating("job", r"teach (?P<v>[a-z]+)(?: (?:at|in|to) .+)?", lambda v: (f"teacher of {v}",)),
    ),
    (
        stating("employer", r"work (?:(?:as|in) .+? )?(?:at|for) (?P<v>.+)", organisation),
        stating("employer", r"be employed (?:at|by) (?P<v>.+)", organisation),
        stating("employer", r"have worked (?:at|for|with) (?P<v>.+)", organisation),
        stating(
            "employer",
            r"(?:have |be )?(?:started|accepted|got|have|landed|took) (?:working|"
            r"an? (?:new )?(?:job|position|role|offer)) (?:at|with|for|from) (?P<v>.+)",
            organisation,
        ),
        stating("employer", rf"(?:have )?(?:joined|started (?:at|with)) {_NAME}", organisation),
        stating("employer", rf"be (?:an?|the) [\w /-]+? at {_NAME}", organisation),
        ending(
            "employer",
            rf"(?:have |be )?(?:left|quit|resigned from|{_FIRED} (?:from|by)|"
            rf"(?:handed|gave) in my notice at) (?:my (?:job|position) (?:at|with) )?{_NAME}",
            organisation,
        ),
        ending("employer", rf"(?:have )?(?:(?:quit|lost|left) my job|resigned|{_FIRED})"),
        denying("employer", rf"be (?:at|with|employed (?:at|by)) {_NAME}", organisation),
        denying("employer", r"work (?P<v>there|here)", lambda _: ("",)),
    ),
    (
        stating("studies", r"study (?P<v>(?!at |in |for |the |this |my ).+)", field_of_study),
        stating("studies", r"be (?:an? )?(?:[\w-]+-year )?(?P<v>(?!an? ).+?) student(?: at .+)?"),
        stating(
            "studies",
            rf"(?:be )?(?:do|doing|finish|finishing|have|pursuing) {_DEGREE} in (?P<v>.+)",
            field_of_study,
        ),
        stating("studies", r"(?:be )?major(?:ing)? in (?P<v>.+)", field_of_study),
        stating("studies", r"(?:have )?(?:switched|changed) my major to (?P<v>.+)"),
    ),
    (
        stating("school", r"study (?:.+? )?at (?P<v>.+)", organisation),
        stating("school", rf"(?:be )?(?:do|doing|finish|finishing) .+? at {_NAME}", organisation),
        stating("school", rf"(?:have )?(?:graduated from|go to|attend) {_NAME}", organisation),
    ),
    (
        stating(
            "programming_language",
            r"(?:code|program|write code|develop|write|know|use) (?:in )?(?P<v>.+)",
            programming_languages,
        ),
    ),
)
