"""Does a clause only tell of a passing state, a reaction or the work at hand?"""

import re

_MOODS = (
    "hungry|thirsty|tired|exhausted|stuck|confused|sorry|sure|happy|glad|sad|busy|late|lost|"
    "bored|excited|worried|afraid|curious|interested|impressed|ready|fine|good|ok|okay|done|here|"
    "there|back|home|right|wrong|aware|able|unable|lazy|cold|sick of|grateful|kidding|joking|old|"
    "idiot"
)
_ACTIVITIES = (
    r"getting (?!married|engaged|divorced|an?\b.*(?:dog|cat|puppy|kitten))|going to\b|"
    r"looking (?:for|at)|trying to (?!lose|quit|learn|save|get fit|gain|read|become)|"
    r"using (?:your|the|this|it|an?)\b|working on (?!my (?:phd|thesis|novel|degree))|"
    r"having (?:trouble|issues|a )|writing to\b|asking\b|wondering|testing|debugging|installing|"
    r"running (?:into|the)|waiting|calling|talking|thinking|dying|about to|heading|driving|"
    r"walking|sitting|eating|leaving\b"
)
_PLACES = (
    r"in (?:an? (?:meeting|hurry|rush|call)|love with|trouble)|"
    r"on (?:my way|it|the (?:phone|train|bus|road)|hold)|at (?:the|home|work|\d)|with you"
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
    rf"agree|wonder|forgot|tried|saw|found|feel|lost (?!my|our)|will|"
    rf"(?:like|love|prefer|use|hate|enjoy|need|want) {_POINTING}|"
    rf"(?:turned|stopped|started|quit|left|ran|run|take|took|opened|closed|changed|fixed|"
    rf"got) (?:{_POINTING}|an? (?:error|message))|moved (?:on|to the)\b|"
    r"have (?:to|no idea|an? (?:\w+ )?(?:question|error|problem|issue|bug|meeting|feeling|doubt|"
    r"idea)|\d+)|want to (?:fix|know|see|do|add|change|make|use|ask)|"
    r"need (?:help|to|an? (?:regex|function|script|way|query|hand|minute|moment|break|new)))",
    re.IGNORECASE,
)
_THINGS_AT_HAND = re.compile(
    r"^my (?:\w+ )?(?:code|app|server|function|question|password|internet|query|script|program|"
    r"unit tests?|build|browser|screen|file|database|api|bad|mistake|point|idea|guess|problem|"
    r"issue|error|character|input|output|data|table|model|prompt|connection)\b",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"^(?:that|it|this)(?:'s| is| was)\b.{0,30}\bmy (?:mistake|bad|fault)", re.IGNORECASE
)


def is_passing(clause: str) -> bool:
    """Say whether a clause will no longer matter tomorrow."""
    patterns = (_BEING, _DOING, _THINGS_AT_HAND, _REACTION)
    return any(pattern.match(clause) for pattern in patterns)
