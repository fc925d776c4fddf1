"""Is a message small talk, a text chore, a question, or only a statement of facts?"""

import re
from collections.abc import Sequence

from memory_graph.policy.exchange import Said
from memory_graph.policy.sentences import plain, split_sentences, word_set, words

_ACKNOWLEDGING_WORDS = 10
"""A reply this short to a statement of facts cannot be more than an acknowledgement."""

_NODS = word_set("""
    a again ah all alright and are at awesome back bad bye can checking cheers cool day everyone
    evening exactly fair fine for friday funny go going good goodbye great ha haha hello helpful hey
    hi hm hmm how i is it just kind lol lot lovely makes me meh mind morning much nah never nice
    night no nope not now oh ok okay perfect please right same see sense so super sure thank thanks
    thank-you that the then there thing this thx too true ty up very was welcome well what whatever
    wow yeah yep yes yo you your
""")
_LANGUAGES = (
    "english|spanish|french|german|italian|portuguese|dutch|polish|russian|chinese|japanese|korean|"
    "arabic|hindi|turkish|swedish|greek|latin|catalan|basque|ukrainian|czech"
)
_TEXT = r"(?:this|that|it|these|the (?:following|text|sentence|paragraph|email|below))"
_CHORE = re.compile(
    r"(?:(?:please|can you|could you|now|hey|ok)[, ]+)*(?:"
    r"translate\b|how (?:do|would) (?:you|i|we) say\b"
    rf"|what is .* in (?:{_LANGUAGES})\b|(?:in|into|to) (?:{_LANGUAGES})\b"
    r"|(?:rewrite|rephrase|reword|paraphrase|proofread|shorten|expand|format|simplify|polish)\b"
    r"|(?:correct|fix|check) (?:the |my )?(?:grammar|spelling|typos?|punctuation|wording)\b"
    rf"|(?:make|turn|put|convert) {_TEXT}? ?(?:\w+ )?(?:more|less|shorter|longer|into|to)\b"
    rf"|summari[sz]e {_TEXT}"
    r"|(?:write|give|make|generate|compose|tell|draft)(?: me)? (?:an? |some |the |\w+ )?(?:\w+ )?"
    r"(?:mail|email|letter|message|reply|post|speech|poem|haiku|limerick|joke|story|function|script|regex|query|title|name|slogan|synonym"
    r"|tweet|caption|headline)s?\b"
    r"|(?:sql|regex|code|formula|command)\b.* (?:to|for|that)\b)"
)
_QUESTION = re.compile(
    r".*\?\s*$|(?:(?:and|so|but|ok|hey|please|btw)[, ]+)*(?:what|who|whom|whose|when|where|why"
    r"|which|how|is|are|was|were|do|does|did|can|could|should|would|will|shall|has|have|any|explain"
    r"|define|tell me|show me|list|describe|give me|compare)\b"
)
_FACT = re.compile(
    r"(?:(?:actually|btw|by the way|also|and|oh|no|fyi|just so you know|note that"
    r"|(?:please )?remember(?: that)?)[,: ]+)*(?:"
    r"(?:my|our|his|her|their) [\w' ]+ (?:is|are|was|has|have|lives?|works?|likes?|loves?|hates?)\b"
    r"|(?:i|we) (?:am|are|live|work|use|like|love|hate|prefer|have|speak|study|own|never|always"
    r"|usually|was born|do not (?:like|eat|drink|drive|have|use)|can not (?:eat|stand))\b"
    r"|(?:\w+ )?\w+ (?:just )?(?:turned|turns|is now) \d+|call me\b"
    r"|[\w' ]+'s (?:name|birthday) is\b)"
)
_ACKNOWLEDGED = re.compile(
    r"\b(?:noted|got it|nice to meet|i will (?:remember|keep)|keep (?:that|it) in mind|thanks"
    r"|thank you|good to know|understood|okay|ok|updated|happy birthday|i see|great|lovely)\b"
)


def is_small_talk(text: str) -> bool:
    """Return whether `text` is a greeting, a thank-you, a laugh or a nod, and nothing else."""
    return all(word in _NODS for word in words(plain(text)))


def is_chore(text: str) -> bool:
    """Return whether `text` hands over words or a small task: translate, rewrite, compose."""
    return _CHORE.match(plain(text)) is not None


def is_question(text: str) -> bool:
    """Return whether `text` asks for something and states nothing."""
    telling = [one for one in split_sentences(text) if not is_small_talk(one)]
    return bool(telling) and all(_QUESTION.match(plain(one)) or is_chore(one) for one in telling)


def states_only_facts(said: Sequence[Said]) -> bool:
    """Return whether the user told facts about themselves and was merely acknowledged."""
    if any(one.role == "tool" for one in said):
        return False
    told = [one.text for one in said if one.role == "user" and not is_small_talk(one.text)]
    replies = [one.text for one in said if one.role == "assistant"]
    return bool(told) and all(map(_tells_facts, told)) and all(map(_acknowledges, replies))


def _tells_facts(text: str) -> bool:
    return all(_FACT.match(plain(sentence)) for sentence in split_sentences(text))


def _acknowledges(text: str) -> bool:
    return len(words(text)) <= _ACKNOWLEDGING_WORDS or _ACKNOWLEDGED.search(plain(text)) is not None
