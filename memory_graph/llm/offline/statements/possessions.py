"""What does `my birthday is …` or `Eva's job is …` state?"""

import re
from collections.abc import Mapping

from memory_graph.llm.offline.statements import values
from memory_graph.llm.offline.statements.known_words import languages, programming_languages
from memory_graph.llm.offline.statements.names import own_name
from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.places import city, place
from memory_graph.llm.offline.statements.roles import occupation, organisation, stated_occupation
from memory_graph.llm.offline.statements.values import Reader

_IS = re.compile(
    r"^(?P<noun>[\w' -]+?),?(?: (?:is|are|include|includes|will be)(?: called| named)?|"
    r":) (?P<value>.+)$",
    re.IGNORECASE,
)
_HOME = re.compile(r"^home is in (?P<place>.+)$", re.IGNORECASE)
_ADVERB = re.compile(r"\b(?:now|actually|currently|really|just|also|still|spelled)\b ?")
_QUALIFIER = re.compile(
    r"^(?:all-time|absolute|new|current|main|full|first|real|preferred|own|work|home)\s+(?=\w)"
)
_FAVOURITE = re.compile(r"^favou?rite (?P<thing>[\w ]+)$", re.IGNORECASE)
_IS_FAVOURITE = re.compile(
    r"^(?P<value>[A-Z].*?) is (?:now |still )?my favou?rite (?P<thing>[\w ]+)$"
)

_PASTIME = re.compile(
    r"^in (?:my|our) (?:free|spare) time,? I (?:like to |love to |"
    r"enjoy )?(?P<verb>[a-z]+) ?(?P<object>.*)$",
    re.IGNORECASE,
)

_NOUNS: Mapping[str, tuple[str, Reader]] = {
    "name": ("name", own_name),
    "last name": ("surname", own_name),
    "surname": ("surname", own_name),
    "family name": ("surname", own_name),
    "nickname": ("nickname", own_name),
    "pronouns": ("pronouns", values.verbatim),
    "birthday": ("birthday", values.birthday),
    "date of birth": ("birthday", values.birthday),
    "age": ("age", values.age),
    "address": ("address", values.verbatim),
    "hometown": ("hometown", place),
    "home town": ("hometown", place),
    "city": ("city", city),
    "time zone": ("timezone", values.verbatim),
    "timezone": ("timezone", values.verbatim),
    "language": ("programming_language", programming_languages),
    "programming language": ("programming_language", programming_languages),
    "native language": ("native_language", languages),
    "mother tongue": ("native_language", languages),
    "first language": ("native_language", languages),
    "job": ("job", occupation),
    "profession": ("job", stated_occupation),
    "job title": ("job", stated_occupation),
    "employer": ("employer", organisation),
    "company": ("employer", organisation),
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
    "goal": ("goal", lambda text: values.intention(re.sub(r"^to ", "", text))),
    "plan": ("goal", lambda text: values.intention(text[3:]) if text.startswith("to ") else ()),
    "breed": ("breed", values.phrase),
    "diet": ("diet", values.phrase),
    "height": ("height", values.verbatim),
    "weight": ("weight", values.verbatim),
}
_UNSPECIFIC = re.compile(
    r"^(?:not |very |so |too |in |at |broken|slow|dead|great|good|bad|important|ok|fine|about|"
    r"down|being|missing|coming|over|soon|close|far)\b",
    re.IGNORECASE,
)
_NOT_FAVOURITE_THINGS = frozenset({"part", "thing", "bit", "one", "moment"})


def read_possession(text: str) -> tuple[Reading, ...]:
    """Return what `<noun> is <value>` states about the noun's owner."""
    match = _IS.match(_ADVERB.sub("", text))
    if match is None:
        return ()
    if home := _HOME.match(match[0]):
        return tuple(Reading("city", found) for found in city(home["place"]))
    if _UNSPECIFIC.match(match["value"]):
        return ()
    noun = _QUALIFIER.sub("", values.clean(match["noun"]).casefold())
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


def read_pastime(clause: str) -> tuple[Reading, ...]:
    """Return what `in my free time I paint watercolours` states."""
    match = _PASTIME.match(clause)
    return (
        (Reading("hobby", f"{_gerund(match['verb'])} {match['object']}".strip()),) if match else ()
    )


def attribute_named(noun: str) -> str | None:
    """Return the attribute a noun stands for: `time zone` → `timezone`."""
    noun = _QUALIFIER.sub("", values.clean(noun).casefold())
    if favourite := _FAVOURITE.match(noun):
        return f"favourite:{_british(favourite['thing'])}"
    return _NOUNS[noun][0] if noun in _NOUNS else None


def _favourite(thing: str, value: str) -> tuple[Reading, ...]:
    thing = _british(values.clean(thing))
    if thing.split(" ")[0] in _NOT_FAVOURITE_THINGS:
        return ()
    attribute = "editor" if thing.endswith("editor") else f"favourite:{thing}"
    return tuple(Reading(attribute, found) for found in values.phrase(value))


def _british(thing: str) -> str:
    return re.sub(r"\bcolor\b", "colour", thing.casefold())


def _gerund(verb: str) -> str:
    if verb.endswith("ing"):
        return verb
    return f"{verb.removesuffix('e')}ing"
