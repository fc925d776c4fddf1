"""Does a clause only tell of a passing state, a reaction or the work at hand?"""

import re

_MOODS = (
    "hungry|thirsty|tired|exhausted|stuck|confused|sorry|sure|happy|glad|sad|busy|late|lost|bored|"
    "excited|worried|afraid|curious|interested|impressed|ready|fine|good|ok|okay|done|here|"
    "there|back|"
    "home|right|wrong|aware|able|unable|free|lazy|cold|sick of|grateful|kidding|joking|old|idiot"
)
_ACTIVITIES = (
    r"getting (?!married|engaged|divorced|an?\b.*(?:dog|cat|puppy|kitten))|going to\b|"
    r"looking (?:for|at)|"
    r"trying to (?!lose|quit|learn|save|get fit|gain|read|become)|using (?:your|the|this|it|an?)\b|"
    r"working on (?!my (?:phd|thesis|novel|degree))|having (?:trouble|issues|a )|writing to\b|"
    r"asking\b|"
    r"wondering|testing|debugging|installing|running (?:into|the)|waiting|calling|talking|"
    r"thinking|dying|"
    r"about to|heading|driving|walking|sitting|eating|leaving\b"
)
_PLACES = (
    r"in (?:an? (?:meeting|hurry|rush|call)|love with|trouble)|on (?:my way|it|the (?:phone|"
    r"train|bus|"
    r"road)|hold)|at (?:the|home|work|\d)|with you"
)
_HEDGES = (
    r"(?:(?:not|so|very|really|just|still|an?|a bit|bit|a little|too|total|kind of|also|now|all) )*"
)
_BEING = re.compile(
    rf"^(?:I am|I'm|im|we are|we're|I was) {_HEDGES}(?:(?:{_MOODS})\b|{_ACTIVITIES}|{_PLACES})",
    re.IGNORECASE,
)
_POINTING = r"(?:it|this|that|these|those|your|you|the|how|when|what|one)\b"
_DOING = re.compile(
    rf"^(?:I|we) (?:just |really |also |only )?(?:see|guess|know (?:that|what|how)|understand|"
    rf"agree|"
    rf"wonder|forgot|tried|saw|found|feel|lost (?!my|our)|will|(?:like|love|prefer|use|hate|enjoy|need|"
    rf"want) {_POINTING}|"
    rf"(?:turned|stopped|started|quit|left|ran|run|take|took|opened|closed|changed|fixed|got) "
    rf"(?:{_POINTING}|an? (?:error|message))|moved (?:on|to the)\b|"
    r"have (?:to|no idea|an? (?:\w+ )?(?:question|error|problem|issue|bug|meeting|feeling|"
    r"doubt|idea)|\d+)|"
    r"want to (?:fix|know|see|do|add|change|make|use|ask)|need (?:help|to|an? (?:regex|"
    r"function|script|way|"
    r"query|hand|minute|moment|break|new)))",
    re.IGNORECASE,
)
_THINGS_AT_HAND = re.compile(
    r"^my (?:\w+ )?(?:code|app|server|function|question|password|internet|query|script|program|"
    r"tests?|"
    r"build|browser|screen|file|database|api|bad|mistake|point|idea|guess|problem|issue|error|"
    r"character|"
    r"input|output|data|table|model|prompt|connection)\b",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"^(?:that|it|this)(?:'s| is| was)\b.{0,30}\bmy (?:mistake|bad|fault)", re.IGNORECASE
)


def is_passing(clause: str) -> bool:
    """Say whether a clause will no longer matter tomorrow."""
    patterns = (_BEING, _DOING, _THINGS_AT_HAND, _REACTION)
    return any(pattern.match(clause) for pattern in patterns)
