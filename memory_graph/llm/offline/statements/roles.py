"""Is a captured phrase a job, an employer, a school or a field of study?"""

import re

from memory_graph.llm.offline.statements.values import VAGUE, clean, without_article
from memory_graph.llm.offline.statements.vocabulary import OCCUPATIONS

_AFTER_TITLE = re.compile(
    r"\s+(?:at|for|in|who|working|based|from|by|with|and|but|on|living|to)\b|,|(?<!head) of an? "
)
_AGED = re.compile(r"^\d+[- ]years?[- ]old ")
_AFTER_NAME = re.compile(
    r"\s+(?:as|in|on|where|who|and|but|doing|near|with|because|next|to)\s+|,\s+"
)
_NOT_AN_EMPLOYER = re.compile(r"(?:home|night|least|work|once|myself|fun|free|money|hours?|now)\b")
MAX_TITLE_WORDS = 6


def occupation(text: str) -> tuple[str, ...]:
    """Read a job title whose last noun is a known occupation."""
    title = _title(text)
    head = re.split(r" of | for ", title)[0].split(" ")[-1].casefold()
    return (title,) if head in OCCUPATIONS and len(title.split()) <= MAX_TITLE_WORDS else ()


def stated_occupation(text: str) -> tuple[str, ...]:
    """Read a job title that was introduced as one (`works as a …`)."""
    title = _title(text)
    if not title or VAGUE.match(title) or len(title.split()) > MAX_TITLE_WORDS:
        return ()
    return (title,)


def organisation(text: str) -> tuple[str, ...]:
    """Read an employer or a school."""
    whole = clean(_AFTER_NAME.split(clean(text))[0])
    value = without_article(whole)
    if not value or VAGUE.match(value) or _NOT_AN_EMPLOYER.match(value):
        return ()
    named = value if value[0].isupper() else whole
    return (named,) if len(value.split()) <= MAX_TITLE_WORDS else ()


def field_of_study(text: str) -> tuple[str, ...]:
    """Read what somebody studies, without where."""
    value = clean(re.split(r"\s+(?:at|in|for)\s+", clean(text))[0])
    return (value,) if value and not VAGUE.match(value) and len(value.split()) <= 4 else ()


def _title(text: str) -> str:
    title = without_article(clean(_AFTER_TITLE.split(clean(text))[0]))
    return _AGED.sub("", title)
