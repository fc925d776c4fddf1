"""What does `my birthday is …` or `Eva's job is …` state?"""

import re
from collections.abc import Mapping

from memory_graph.llm.offline.statements import values
from memory_graph.llm.offline.statements.patterns import Reading
from memory_graph.llm.offline.statements.values import Reader

_IS = re.compile(
    r"^(?P<noun>[\w' -]+?),? (?:is|are|include|includes|will be)(?: called| named)? (?P<value>.+)$",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\b(?:now|actually|currently|really|just|also|still|spelled)\b ?")
_QUALIFIER = re.compile(r"^(?:new|current|main|full|first|real|preferred|own|work|home)\s+(?=\w)")
_FAVOURITE = re.compile(r"^favou?rite (?P<thing>[\w ]+)$", re.IGNORECASE)
_IS_FAVOURITE = re.compile(
    r"^(?P<value>[A-Z].*?) is (?:now |still )?my favou?rite (?P<thing>[\w ]+)$"
)

_NOUNS: Mapping[str, tuple[str, Reader]] = {
    "name": ("name", values.person_names),
    "nickname": ("nickname", values.person_names),
    "pronouns": ("pronouns", values.verbatim),
    "birthday": ("birthday", values.birthday),
    "date of birth": ("birthday", values.birthday),
    "age": ("age", values.age),
    "address": ("address", values.verbatim),
    "hometown": ("hometown", values.place),
    "home town": ("hometown", values.place),
    "city": ("city", values.city),
    "time zone": ("timezone", values.verbatim),
    "timezone": ("timezone", values.verbatim),
    "native language": ("native_language", values.languages),
    "mother tongue": ("native_language", values.languages),
    "first language": ("native_language", values.languages),
    "job": ("job", values.occupation),
    "profession": ("job", values.stated_occupation),
    "job title": ("job", values.stated_occupation),
    "employer": ("employer", values.organisation),
    "company": ("employer", values.organisation),
    "major": ("studies", values.phrase),
    "phone": ("phone", values.phrase),
    "car": ("car", values.phrase),
    "laptop": ("computer", values.phrase),
    "computer": ("computer", values.phrase),
    "os": ("os", values.phrase),
    "operating system": ("os", values.phrase),
    "email": ("email", values.verbatim),
    "email address": ("email", values.verbatim),
    "blood type": ("blood_type", values.verbatim),
    "editor": ("editor", values.phrase),
    "stack": ("tool", values.things),
    "tech stack": ("tool", values.things),
    "hobby": ("hobby", values.things),
    "hobbies": ("hobby", values.things),
    "goal": ("goal", lambda text: values.verbatim(re.sub(r"^to ", "", text))),
    "breed": ("breed", values.phrase),
    "diet": ("diet", values.phrase),
    "height": ("height", values.verbatim),
    "weight": ("weight", values.verbatim),
}
_UNSPECIFIC = re.compile(
    r"^(?:not |very |so |too |in |on |at |broken|slow|dead|great|good|bad|important|ok|"
    r"fine|about|down|being|missing|coming|over|soon|close|far)\b",
    re.IGNORECASE,
)
_NOT_FAVOURITE_THINGS = frozenset({"part", "thing", "bit", "one", "moment"})


def read_possession(text: str) -> tuple[Reading, ...]:
    """Return what `<noun> is <value>` states about the noun's owner."""
    match = _IS.match(_ADVERB.sub("", text))
    if match is None or _UNSPECIFIC.match(match["value"]):
        return ()
    noun = _QUALIFIER.sub("", match["noun"].casefold())
    if favourite := _FAVOURITE.match(noun):
        return _favourite(favourite["thing"], match["value"])
    if noun not in _NOUNS:
        return ()
    attribute, read = _NOUNS[noun]
    return tuple(Reading(attribute, value) for value in read(match["value"]))


def read_inverted_favourite(clause: str) -> tuple[Reading, ...]:
    """Return what `Dune is my favourite book` states."""
    match = _IS_FAVOURITE.match(_ADVERB.sub("", clause))
    return _favourite(match["thing"], match["value"]) if match else ()


def attribute_named(noun: str) -> str | None:
    """Return the attribute a noun stands for: `time zone` → `timezone`."""
    noun = _QUALIFIER.sub("", noun.casefold().strip())
    if favourite := _FAVOURITE.match(noun):
        return f"favourite:{_british(favourite['thing'])}"
    return _NOUNS[noun][0] if noun in _NOUNS else None


def _favourite(thing: str, value: str) -> tuple[Reading, ...]:
    thing = _british(values.clean(thing))
    if thing in _NOT_FAVOURITE_THINGS:
        return ()
    attribute = "editor" if thing.endswith("editor") else f"favourite:{thing}"
    return tuple(Reading(attribute, found) for found in values.phrase(value))


def _british(thing: str) -> str:
    return re.sub(r"\bcolor\b", "colour", thing.casefold())
