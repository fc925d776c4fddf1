"""Does a clause only tell of a passing state, a reaction, an outing or the work at hand?"""

import re

_MOODS = (
    "hungry|thirsty|tired|exhausted|stuck|confused|sorry|sure|happy|glad|sad|busy|late|lost|bored|"
    "excited|worried|afraid|curious|interested|impressed|ready|fine|good|ok|okay|done|here|there|"
    "back|home|right|wrong|aware|able|unable|lazy|cold|grateful|kidding|joking|old|idiot|proud"
)
_ACTIVITIES = (
    r"getting (?!married|engaged|divorced|an?\b.*(?:dog|cat|puppy|kitten))|going to\b|"
    r"looking (?:for|at)|trying to (?!lose|quit|learn|save|get fit|gain|read|become)|"
    r"using (?:your|the|this|it|an?)\b|working on (?!my (?:phd|thesis|novel|degree))|"
    r"having (?:trouble|issues|a )|writing to\b|asking\b|wondering|testing|debugging|installing|"
    r"running (?:into|the)|waiting|calling|talking|thinking|dying|about to|heading|driving|"
    r"walking|sitting|eating|leaving\b"
)
_WHEREABOUTS = (
    r"in (?:an? (?:meeting|hurry|rush|call)|love with|trouble)|at (?:the|home|work|\d)|with you|"
    r"on (?:my way|it|page|hold|the (?:phone|train|bus|road))"
)
_HEDGES = (
    r"(?:(?:not|so|very|really|just|still|an?|a bit|bit|a little|too|total|kind of|also|now|all) )*"
)
_BEING = re.compile(
    rf"^(?:I am|I'm|im|we are|we're|I was) {_HEDGES}"
    rf"(?:(?:{_MOODS})\b|{_ACTIVITIES}|{_WHEREABOUTS})",
    re.IGNORECASE,
)
_POINTING = r"(?:it|this|that|these|those|your|you|the|how|when|what|one)\b"
_REACTIONS = (
    r"see|guess|know (?:that|what|how)|understand|agree|wonder|forgot|tried|saw|found|feel|"
    rf"lost (?!my|our)|will|(?:like|love|prefer|use|hate|enjoy|need|want) {_POINTING}"
)
_OUTINGS = (
    r"was in|visited|watched|ordered|cooked|made (?:it|this|that|sure|an?|some|great)|gave an?|"
    r"got into an?|went to|bought some|moved (?:on|to the)\b"
)
_HANDIWORK = (
    r"(?:turned|stopped|started|quit|left|ran|run|take|took|opened|closed|changed|fixed|got) "
    rf"(?:{_POINTING}|an? (?:error|message))"
)
_NEEDS = (
    r"have (?:to|no idea|\d+|an? (?:\w+ )?(?:question|error|problem|issue|bug|meeting|feeling|"
    r"doubt|idea))|want to (?:fix|know|see|do|add|change|make|use|ask)|"
    r"need (?:help|to|an? (?:regex|function|script|way|query|hand|minute|moment|break|new))"
)
_DOING = re.compile(
    r"^(?:I|we|I've|we've) (?:just |really |also |only )?"
    rf"(?:{_REACTIONS}|{_OUTINGS}|{_HANDIWORK}|{_NEEDS})",
    re.IGNORECASE,
)
_THINGS_AT_HAND = re.compile(
    r"^my (?:\w+ )?(?:code|app|server|function|question|password|internet|query|script|program|"
    r"unit tests?|build|browser|screen|file|database|api|bad|mistake|point|idea|guess|problem|"
    r"issue|error|character|input|output|data|table|model|prompt|connection)\b",
    re.IGNORECASE,
)
_ADMISSION = re.compile(
    r"^(?:that|it|this)(?:'s| is| was)\b.{0,30}\bmy (?:mistake|bad|fault)", re.IGNORECASE
)


def is_passing(clause: str) -> bool:
    """Say whether a clause will no longer matter tomorrow."""
    patterns = (_BEING, _DOING, _THINGS_AT_HAND, _ADMISSION)
    return any(pattern.match(clause) for pattern in patterns)
