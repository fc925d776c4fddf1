"""What else may a message want that looks like a recall?"""

import re
from typing import Literal

from memory_graph.policy.recall_intent.phrasing import any_of, one_of

INSTRUCTION = any_of(
    (
        r"^(?:\w+ ){0,3}remind me (?:to|at|in|on|tomorrow|tonight|every|later|next|again in|"
        r"before|after|when (?:it's|it is) time|when i (?:get|am|arrive|leave))\b",
        r"^(?:please |always |also |so |ok |okay )*remember (?!what|which|who|when|where|how|me\b|"
        r"the (?:time|day)|(?:that|the) \w+ (?:i|we|you) )",
        r"^(?:can|could|will|would) you (?:please )?remember (?:that|to|this|my|i)\b",
        r"^(?:please |and )*(?:don't|do not|never) (?:forget|remind|mention|remember)\b",
        r"^(?:please )?(?:forget|never mind|ignore|delete|erase|keep in mind|note|make a note|save|"
        r"store|set|schedule|add|book|send|stop|let's|use|change|update|from now on)\b",
    )
)
"""Tells the agent to do or to keep something."""

_WORK = one_of(
    "write, rewrite, translate, transcribe, draft, compose, paraphrase, proofread, correct, fix, "
    "convert, "
    "create, generate, make, explain, describe, analy[sz]e, classify, extract, act, pretend, "
    "imagine, roleplay, continue, implement, refactor, review, solve, prove, come up with, turn, "
    "read, say, be, given, summari[sz]e, design, build, edit, improve, suggest, recommend, "
    "compare, calculate, develop, put (?:this|it|that|the), you will, you are (?:a|an|my|the)"
)
TASK = any_of(
    (
        r"^(?:please |can you |could you |now |hi |hey |help me |i want you to |i need you to )*"
        rf"{_WORK}\b(?!')",
        r"^(?:text|article|passage|lyrics|customer|user|from|to|subject|context|title|notes)"
        r"[^.?!]{0,20}:",
        r"^(?:dear|hi|hello) (?:team|all|everyone|sir|madam|mr|mrs|ms|dr)\b",
        r"^you are \w+(?: \w+)?$",
        r"\bthe following\b|\bbelow\b",
    )
)
"""Sets a piece of work on material the message brings along."""

OPENINGS: dict[Literal["instruction", "task"], re.Pattern[str]] = {
    "instruction": INSTRUCTION,
    "task": TASK,
}
"""What a message that starts like this wants, whatever follows."""

RHETORICAL = any_of(
    (
        r"^what did i tell you$|\bwhat have i done$|\bwhat was i thinking$|\bguess what\b",
        r"\bwho do i think i am\b|\byou know what(?:$| i (?:did|mean))|\bto deserve\b",
        r"\bwhat (?:did|have|am) i (?:miss|missed|missing|do wrong|done wrong|doing wrong)\b",
        r"\byou (?:\w+ )?(?:remember|recall|store|keep)\b.*\b(?:i|we|users|people) "
        r"(?:say|tell|type|write|share)\b",
        r"\bam i kidding\b|\bdid (?:i|we) go wrong\b|\b(?:did|have) i ever do\b|\bso lucky$|"
        r"^what has\b.*\bbut\b",
        r"\bend up like this\b|^have we (?:ever )?met(?: before)?$|\bheard that before\b",
        r"\bwhat am i$|\bwhat number am i$|^guess (?:who|what) i am\b",
        r"\bhow many times do i have to\b|\bwhere did the time go\b",
        r"\b(?:did|could) i (?:ever|not|even) (?:agree|see|think|let)\b",
        r"\bhave i (?:\w+ )?(?:mentioned|told you) how (?!many|much (?:i|we|it)|long|old)",
        r"\bhave i (?:gone|lost) (?:mad|crazy|insane|my mind|it)\b|\bwhat did i (?:just )?do$",
        r"^what an? (?:[\w-]+ ){1,3}(?:i|we|you|it|he|she|this|that)\b|^what an? \w+$",
        r"\b(?:was i|were we) supposed to (?:know|say|think|feel|believe)\b",
        r"^how did (?:i|we|you|it|they|everything) (?:\w+ )?get so\b",
    )
)
"""Has the form of a question and expects no answer, or is a riddle."""

LOOKS_FORWARD = any_of(
    (
        r"\b(?:have|do|are|were|has|is|does) (?:you|your)\b|\babout you$",
        r"^how (?:do|can|could|should|would|to)\b",
        r"\b(?:should|can|could|would) (?:i|we|my|it|be)\b",
        r"\b(?:can|could|would) you (?!list|tell|repeat|show|find|give|look|pull|recall)",
        r"\b(?:can|could|would) you (?:please )?(?:list|tell|show|find|give)(?: me| us)? (?:some|"
        r"any|an?|more|\d+|(?:the )?(?:typical|common|usual|main|best|possible|general))\b",
        r"^(?:the )?(?:typical|common|usual|main|best|possible|general|pros)\b",
        r"^(?:is|are|does) (?:that|this|it|he|she|they|the)\b|\b(?:mean|true)\b",
        r"\bwhat (?:if|now)\b|\bdo you think\b|\bany (?:tips|ideas|advice|suggestions)\b",
    )
)
"""Asks for help with what comes next, or about the one who is asked."""
