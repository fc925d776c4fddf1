"""Read facts from a message: the gate, the readers, and statements in the user's own words."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel

from memory_graph.background import off_the_loop
from memory_graph.errors import ExtractionError
from memory_graph.facts.claims import settle
from memory_graph.facts.model_reader import PROMPT, ExtractedFacts, ask_facts, only_key
from memory_graph.keys import fact_key, normalise
from memory_graph.language import times
from memory_graph.language.facts import read_facts
from memory_graph.language.frames import first_person
from memory_graph.language.heads import has_question_form
from memory_graph.language.likeness import gist_of
from memory_graph.language.mentions import shows_names
from memory_graph.language.sentences import (
    asks_to_remember,
    grouped,
    refers_back,
    split_clauses,
    supposes,
    to_forget,
    without_opener,
)
from memory_graph.language.supersession import cues_in
from memory_graph.language.words import DEFAULT, language_of, words_of
from memory_graph.llm.ask import within
from memory_graph.llm.models import patience_with
from memory_graph.reading import Reading, read_message, read_texts
from memory_graph.records import FactCandidate, FactRead, MemoryDecision, Usage
from memory_graph.safety.own_voice import is_grounded, is_instruction, own_voice
from memory_graph.safety.secrets import MASK

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads
    from memory_graph.store.scope import UserMemory

LONGEST = 500
"""Characters of one statement; a longer one is cut, and the whole stays in what was said."""

KEEP = 0.42
"""How much a sentence must be worth to be kept: `python -m evals.tuning.keeping`."""

MAY_CHANGE = 0.2
"""The same for a sentence that says more of one that is kept, or changes something known."""

_ASKS, _ASKS_BACK = 0.5, 0.4
_CORRECTS = 0.5
_SAYS_LITTLE = frozenset(
    words_of(
        "turned turn turning called named name born old year years live living lives moved move"
        " work working works got get just now today yesterday recently currently actually"
        " really last week month always btw lol haha ok love like hate favourite favorite prefer",
        "en",
    )
)
"""What a statement adds to the fact that rules read of it without saying anything more."""

_CHANGES = frozenset({"correct", "end", "negation"})
"""Kinds of cue by which a sentence tells that something is not, or no longer, so."""

_TURNS = frozenset({"change", "correct"})
"""Kinds of cue by which a sentence tells what is so from now on."""

_BEGINNING = 8
"""Characters before which a word for a person is the subject: `my mum`."""
_SHOWN = 4
"""Known facts that a model is shown. A limit: part of every prompt."""

_FEW = 3  # words with which one can say something: a limit
_LITTLE_MORE = 1
"""How many words of a statement a fact may leave out and still tell all of it: a limit."""

OwnWordsReason = Literal[
    "asked_to_remember",
    "durable",
    "may_change",
    "question",
    "supposed",
    "asked_to_forget",
    "not_durable",
]
KEPT: frozenset[OwnWordsReason] = frozenset({"asked_to_remember", "durable"})
"""What becomes a fact; what `may_change` one is kept only if it does."""


@dataclass(frozen=True)
class Statement:
    """Some of a message's sentences that make one statement, and why it is kept or not."""

    text: str
    reason: OwnWordsReason


def judge(sentence: str, heads: "Heads", language: str) -> OwnWordsReason:
    """Say whether a sentence states something durable, and why not."""
    if asks_to_remember(sentence, language):
        return "asked_to_remember"
    if to_forget(sentence) is not None:
        return "asked_to_forget"
    asks = heads.question >= _ASKS or sentence.rstrip().endswith(("?", "？"))
    asks = asks and (heads.durable < _ASKS_BACK or has_question_form(sentence))
    looks_back = heads.asks >= _ASKS_BACK and (heads.durable < _ASKS_BACK or heads.question >= 0.3)
    if asks or looks_back:
        return "question"
    if supposes(sentence, language):
        return "supposed"
    worth = worth_keeping(heads)
    if worth >= KEEP:
        return "durable"
    return "may_change" if worth >= MAY_CHANGE else "not_durable"


def worth_keeping(heads: "Heads") -> float:
    """Return how much a sentence is worth: durable above all, an outcome or a change half."""
    told = heads.durable + 0.5 * (heads.outcome + heads.corrects)
    return told * (1 - 0.7 * heads.small)


async def statements_of(reading: Reading, covered: Sequence[FactRead]) -> list[Statement]:
    """Return what a message states beyond what rules read, in the user's own words.

    A sentence that refers back stays with the one before it. One that makes several
    statements is taken apart, so that each can change alone.
    """
    heads = dict(zip(reading.sentences, reading.heads, strict=True))
    free = tuple(s for s in reading.sentences if not _is_covered(s, covered, reading.language))
    found: list[Statement] = []
    for group in grouped(free, reading.language, lambda s: heads[s].corrects >= _CORRECTS):
        sentences = [free[n] for n in group]
        reasons = [judge(each, heads[each], reading.language) for each in sentences]
        kept = [n for n, reason in enumerate(reasons) if reason in KEPT]
        if len(sentences) == 1 and reasons[0] == "durable":
            found += await _clauses(sentences[0], reading.language)
        elif not kept:
            found.append(Statement(" ".join(sentences), reasons[0]))
        else:  # one statement, up to the last that is worth keeping
            worth = [worth_keeping(heads[each]) for each in sentences]
            last = max(n for n, each in enumerate(worth) if n in kept or each >= MAY_CHANGE)
            told = [s for n, s in enumerate(sentences[: last + 1]) if reasons[n] != "question"]
            found.append(Statement(" ".join(told), reasons[kept[0]]))
    return found


async def _clauses(sentence: str, language: str) -> list[Statement]:
    """Return the clauses of a sentence if each is durable by itself, else the sentence.

    What was and what is stay together: `Pixel is not 9, he is 11`. So does what only refers
    back: `we've got a greyhound, Otto, he's 6`.
    """
    clauses = split_clauses(sentence, language)
    bare = [each for each in clauses[1:] if len(each.split()) < _FEW]
    is_one = len(clauses) == 1 or any(refers_back(each, language) for each in bare)
    if is_one or not _CHANGES.isdisjoint(cues_in(sentence, language)):
        return [Statement(sentence, "durable")]
    pairs = zip(clauses, await read_texts(clauses), strict=True)
    each_durable = all(judge(clause, heads, language) == "durable" for clause, heads in pairs)
    return [Statement(clause, "durable") for clause in (clauses if each_durable else [sentence])]


def candidate_of(
    statement: Statement, language: str, now: datetime, zone: ZoneInfo
) -> FactCandidate:
    """Return a statement as a candidate fact, with the times it tells of."""
    text = statement.text
    return FactCandidate(
        statement=text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…",
        importance=4 if statement.reason == "asked_to_remember" else 3,
        own_words=True,
        kind="episodic" if statement.reason == "may_change" else "semantic",
        since=times.since(text, now=now, zone=zone, language=language),
        event_date=times.event_date(text, now=now, zone=zone, language=language),
    )


def _is_covered(sentence: str, covered: Sequence[FactRead], language: str) -> bool:
    """Say whether what rules read of a sentence says all that it does."""
    squeezed = " ".join(sentence.split()).casefold()
    read = [
        each
        for each in covered
        if " ".join(without_opener(each.sentence).split()).casefold().strip(" .!,;") in squeezed
    ]
    told = {
        word
        for each in read
        for said in (each.candidate.statement, each.candidate.value or "", each.words)
        for word in words_of(said, language)
    }
    left = set(words_of(without_opener(sentence), language)) - told - _SAYS_LITTLE
    return bool(read) and not left


RULES = "rules/2"
"""Who read a fact without a model: keyed rules and the user's own words."""

GateReason = Literal["may_hold_fact", "small_talk", "question_only", "request", "not_own_words"]
LostReason = Literal[
    "unusable_output", "not_said", "nobody_named", "no_such_value", "replaces_unrelated"
]
"""What becomes of those facts of a model's answer that are not used."""


@dataclass(frozen=True)
class Extracted:
    """Candidates, and what became of everything that is none."""

    candidates: tuple[FactCandidate, ...] = ()
    skipped: tuple[MemoryDecision, ...] = ()
    extractor: str = RULES
    usage: Usage = field(default_factory=Usage)
    has_episode: bool | None = None
    """Whether something came of the message, if a model that read it says so."""

    episode: str = ""
    """What came of it, in the model's words."""

    judged: frozenset[str] = frozenset()
    """The known facts of which the model said whether something new replaces them."""


def decide_gate(reading: Reading) -> GateReason:
    """Drop only what surely holds nothing: the gate saves calls, it does not judge facts."""
    if not reading.text.strip():
        return "not_own_words"
    if reading.may_tell or any(
        asks_to_remember(each, reading.language) or to_forget(each) is not None
        for each in reading.sentences
    ):
        return "may_hold_fact"
    whole = reading.whole
    reasons: dict[GateReason, float] = {
        "question_only": max(whole.asks, whole.question),
        "request": whole.request,
        "small_talk": whole.small,
    }
    return max(reasons, key=lambda reason: reasons[reason])


@dataclass(frozen=True)
class FactExtractor:
    """Reads facts out of what the user said: by a model, or by rules without one."""

    model: BaseChatModel | None
    timeout_s: float
    memory: "UserMemory | None" = None
    """Whose facts a model is shown beside the message, so that it can say which one changes."""

    async def extract(self, texts: Sequence[str], now: datetime, zone: ZoneInfo) -> Extracted:
        """Read the facts of the last of `texts`, if it may hold any.

        Raises:
            ModelUnavailableError: If the model does not answer.
        """
        sensitive = (skip("sensitive"),) if MASK in texts[-1] else ()
        size = sum(map(len, texts))
        texts = await off_the_loop(size, lambda: [own_voice(text) for text in texts])
        reading = await read_message(texts[-1])
        if (gate := decide_gate(reading)) != "may_hold_fact":
            return Extracted(skipped=sensitive or (skip(gate),))
        found = await self._read(texts, reading, now, zone)
        clean = [each for each in found.candidates if MASK not in f"{each.statement}{each.value}"]
        skipped = (*sensitive, *found.skipped)
        if not clean and not skipped:
            skipped = (skip("no_fact_stated"),)
        return replace(found, candidates=tuple(clean), skipped=skipped)

    async def _read(
        self, texts: Sequence[str], reading: Reading, now: datetime, zone: ZoneInfo
    ) -> Extracted:
        by_rules = await read_without_model(texts, reading, now, zone)
        if self.model is None:
            return Extracted(by_rules)
        if not by_rules and (idle := _tells_nothing(reading)):
            return Extracted(skipped=(skip(idle),))
        try:
            today = now.astimezone(zone).date()
            answer, usage = await self._ask(self.model, texts, reading, today)
        except ExtractionError as error:
            calls = 0 if error.reason == "over_budget" else 1
            return Extracted(by_rules, (skip(error.reason),), usage=Usage(calls, None, None))
        quoted = (each for each in answer.facts if is_quoted(each, texts[-1]))
        said = (told for each in quoted if (told := _as_told(each, reading)))
        grounded = await _worth_it([each for each in said if is_grounded(each, texts)])
        owned = _owned(answer.unowned, by_rules)
        lost = _lost(answer, grounded=len(grounded), owned=len(owned))
        found = join_readings(by_rules, [*grounded, *owned])
        by = RULES if not found and lost else PROMPT
        return Extracted(found, lost, by, usage, answer.has_episode, answer.episode, answer.judged)

    async def _ask(
        self, model: BaseChatModel, texts: Sequence[str], reading: Reading, today: date
    ) -> tuple[ExtractedFacts, Usage]:
        """Ask the model, and show it the known facts that are nearest to the message.

        Raises:
            ExtractionError: If the answer does not fit.
            ModelUnavailableError: If it does not come in time.
        """
        memory = self.memory

        async def asking() -> tuple[ExtractedFacts, Usage]:
            near = await memory.facts.near(texts[-1], _SHOWN) if memory else []
            facts = [each.record for each in near if each.record.valid_to is None]
            known = [each for each in facts if not is_instruction(each.statement)]
            longest = max(self.timeout_s, patience_with(model).episode_s)
            reply, usage = await ask_facts(
                texts, model, today=today, timeout_s=longest, known=known
            )
            reply.facts, reply.unrelated = await settle(reply.facts, reading, known, memory)
            return reply, usage

        whose = (id(memory.scope.gateway.store), memory.scope.root) if memory else ()
        return await within(self.timeout_s, (id(model), whose, *texts), asking)


IdleReason = Literal["question_only", "supposed", "no_fact_stated"]


def _tells_nothing(reading: Reading) -> IdleReason | None:
    """Say why a message in which rules read nothing needs no model, if it needs none.

    Each sentence only supposes something, is a question that does not plainly tell or correct
    something, or is not worth keeping by far.
    """
    reasons: set[OwnWordsReason] = set()
    for sentence, heads in zip(reading.sentences, reading.heads, strict=True):
        reason = judge(sentence, heads, reading.language)
        plainly_tells = max(heads.durable, heads.corrects) >= _CORRECTS
        is_idle = reason == "question" or worth_keeping(heads) < _WORTHLESS
        if reason != "supposed" and (plainly_tells or not is_idle):
            return None
        reasons.add(reason)
    if "supposed" in reasons:
        return "supposed"
    return "question_only" if reasons == {"question"} else "no_fact_stated"


_WORTHLESS = 0.15
"""By hand: of the open conversations' messages that tell a fact in which rules read none, the
least is worth 0.18."""


def join_readings(
    by_rules: Sequence[FactCandidate], by_model: Sequence[FactCandidate]
) -> tuple[FactCandidate, ...]:
    """Return what rules and a model read in one message, nothing twice.

    What a keyed rule reads is right nineteen times of twenty, and files it under the word that
    everything else uses. So it goes first, and the model adds what no rule reads. Words of the
    user stay where the model says less, in place of what it says of them without a key. Where
    facts hold all they tell, they are kept only if they change something that is known: what a
    message does to the facts before it is judged by its own words, with a model as without.
    """
    keyed = [each for each in by_rules if each.attribute]
    told = [
        each
        for each in by_model
        if states_something(each) and not any(_tells_the_same(each, known) for known in keyed)
    ]
    spoken = [each for each in by_rules if each.own_words]
    filed = [each for each in told if fact_key(each)]
    own = [each for each in spoken if not is_told(each.statement, (*keyed, *filed))]
    said = {word for each in own for word in _tokens(each.statement)}
    more = [
        each
        for each in told
        if each.retracts or fact_key(each) or not (_content(each) | _tokens(each.words)) & said
    ]
    own = [_beside(each, keyed, [one for one in more if not one.retracts]) for each in spoken]
    return _with_heirs(keyed, more, own, by_model)


def _beside(
    words: FactCandidate, keyed: Sequence[FactCandidate], more: Sequence[FactCandidate]
) -> FactCandidate:
    """Return words of the user; where a model's facts hold the rest of them, they may only change.

    What rules read of them they say beside it, with a model as without.
    """
    is_held = is_told(words.statement, (*keyed, *more)) and not is_told(words.statement, keyed)
    return words.model_copy(update={"kind": "episodic"} if is_held and not words.retracts else {})


def _with_heirs(
    keyed: Sequence[FactCandidate],
    more: Sequence[FactCandidate],
    own: Sequence[FactCandidate],
    by_model: Sequence[FactCandidate],
) -> tuple[FactCandidate, ...]:
    """Let the words of the user replace what a model says is replaced; it only knows which.

    Where there are none, and its own fact is not kept, the nearest one does.
    """
    kept = [*keyed, *more, *own]
    heirs: dict[int, str] = {}
    for each in by_model:
        if each.replaces is None or each.retracts:
            continue
        words = set(words_of(each.words or each.statement))
        shared = {n: len(words & set(words_of(one.statement))) for n, one in enumerate(kept)}
        spoken = {n: count for n, count in shared.items() if kept[n].own_words and count}
        nearest = spoken or ({} if each in more else shared)
        heir = max(nearest, key=lambda n: nearest[n], default=None)
        heirs |= {heir: each.replaces} if heir is not None and nearest[heir] else {}
        if spoken and each in more:
            kept[kept.index(each)] = each.model_copy(update={"replaces": None})
    return tuple(
        each.model_copy(update={"replaces": heirs[n]} if n in heirs else {})
        for n, each in enumerate(kept)
    )


def is_quoted(candidate: FactCandidate, message: str) -> bool:
    """Say whether the words that a model quotes are of this message, not of those before it."""
    quoted = _tokens(candidate.words) - {""}
    shared = quoted & _tokens(message)
    return candidate.words in message or 2 * len(shared) >= len(quoted)


def _as_told(candidate: FactCandidate, reading: Reading) -> FactCandidate | None:
    """Return a model's fact as the message tells it; nothing if that only supposes it.

    Nor what it says of another: of `my nan is coeliac` and of `he's 6` small models read what the
    user is. Of `I stopped liking techno` they read the hobby: where the words tell an end that
    the model did not see, the fact loses its key.
    """
    quoted = [each for each in reading.sentences if candidate.words in each]
    cues = cues_in(candidate.words, reading.language)
    places = cues.get("others", ()) if reading.language == DEFAULT else ()  # not `el`, `il`
    of_another = any(at < _BEGINNING for at in places)
    is_news = not candidate.retracts and not candidate.replaces
    if any(supposes(each, reading.language) for each in quoted) or (
        of_another and is_news and candidate.entity == "user"
    ):
        return None
    is_over = "end" in cues and cues.keys().isdisjoint(_TURNS) and not candidate.retracts
    return candidate.model_copy(update={"attribute": None, "value": None} if is_over else {})


async def _worth_it(candidates: Sequence[FactCandidate]) -> list[FactCandidate]:
    """Leave out what nobody would keep of a model's facts: a bare name, that somebody is alright.

    What has one value at a time, such as a city, is worth it in any words.
    """
    heads = await read_texts([each.words for each in candidates]) if candidates else ()
    kept = []
    for each, head in zip(candidates, heads, strict=True):
        is_bare = each.words.isascii() and len(each.words.split()) < _FEW and not each.attribute
        is_whole = worth_keeping(head) >= MAY_CHANGE and not is_bare
        if not each.words or each.retracts or each.replaces or only_key(each) or is_whole:
            kept.append(each)
    return kept


def is_told(words: str, found: Sequence[FactCandidate]) -> bool:
    """Say whether facts hold what words of the user tell: names, numbers and nearly all the rest.

    Where a model tells it in another language, it must have quoted the rest.
    """
    if any(_tokens(words) <= _tokens(each.statement) for each in found if not each.own_words):
        return True
    said = {*words_of(words, "en")} - _SAYS_LITTLE
    about = [each for each in found if not each.own_words and _content(each) & _tokens(words)]
    told = " ".join(
        f"{each.entity} {each.attribute} {each.value} {each.statement}" for each in about
    )
    if not about or not _names(words) <= _names(f"- {told}"):
        return False
    stated = " ".join(each.statement for each in about)
    named = [*gist_of(stated).names, *(f"{each.entity} {each.value}" for each in about)]
    is_translated = not said & {*words_of(stated, "en")} - {*words_of(" ".join(named), "en")}
    held = " ".join(each.words for each in about) if is_translated else told
    return len(said - {*words_of(held, "en")}) <= _LITTLE_MORE


def _names(text: str) -> set[str]:
    """Return names and numbers; where every noun has a capital, names cannot be told by it."""
    gist = gist_of(text)
    names = gist.names if shows_names(language_of(text)) else set()
    return {part for name in names | gist.numbers for part in name.split("-")}


def states_something(candidate: FactCandidate) -> bool:
    """Say whether a candidate has a value that is news, or ends one.

    Small models name what is asked about, and say of a girlfriend that she is a girlfriend.
    """
    if candidate.retracts or not candidate.attribute:
        return True
    known = {normalise(candidate.entity_kind or ""), normalise(candidate.entity)}
    is_news = (
        normalise(candidate.attribute) == "name" or normalise(candidate.value or "") not in known
    )
    return bool(candidate.value) and is_news


def _tells_the_same(one: FactCandidate, other: FactCandidate) -> bool:
    """Say whether two readings are of the same words, whatever they make of them."""
    if one.retracts and other.retracts and fact_key(one) == fact_key(other) is not None:
        return True
    ours, theirs = _content(one), _content(other)
    return bool(ours) and bool(theirs) and (ours <= theirs or theirs <= ours)


def _content(candidate: FactCandidate) -> set[str]:
    _, _, thing = (candidate.attribute or "").partition(":")
    told = f"{thing} {candidate.value or ''}" if thing else candidate.value or candidate.statement
    return _tokens(told) - {"", "like", "dislike", "yes", "no", "the", "a", "of"}


def _tokens(text: str) -> set[str]:
    """Return all words of a text as keys write them, however long it is."""
    return {part for word in text.split() for part in normalise(word).split("-")}


def _lost(answer: ExtractedFacts, *, grounded: int, owned: int) -> tuple[MemoryDecision, ...]:
    """Say how much of an answer had no shape, no owner or no fit, and how much nobody said."""
    counts: dict[LostReason, int] = {
        "unusable_output": answer.unusable,
        "not_said": len(answer.facts) - grounded,
        "nobody_named": max(len(answer.unowned) - owned, 0),
        "no_such_value": answer.valueless,
        "replaces_unrelated": answer.unrelated,
    }
    return tuple(skip(reason, count) for reason, count in counts.items() if count)


def _owned(
    unowned: Sequence[FactCandidate], by_rules: Sequence[FactCandidate]
) -> tuple[FactCandidate, ...]:
    """Return what the rules read where a model did not say whom a fact is about."""
    values = {normalise(each.value or "") for each in unowned} - {""}
    return tuple(each for each in by_rules if normalise(each.value or "") in values)


async def read_without_model(
    texts: Sequence[str], reading: Reading, now: datetime, zone: ZoneInfo
) -> tuple[FactCandidate, ...]:
    """Return what keyed rules read, and what else is durable in the user's own words."""
    language, size = language_of(reading.text), len(reading.text)
    read = await off_the_loop(size, lambda: read_facts(texts, language))
    keyed = [each for each in read if each.candidate.attribute]
    covered = [each for each in keyed if not each.candidate.retracts]
    statements = await statements_of(reading, covered)
    told = [each for each in statements if each.reason in {*KEPT, "may_change"}]
    own = await off_the_loop(
        size, lambda: [candidate_of(each, language, now, zone) for each in told]
    )
    own += [
        FactCandidate(statement=each.text[:LONGEST], own_words=True, retracts=True)
        for each in statements
        if each.reason == "asked_to_forget"
    ]
    dated = [
        each.candidate.model_copy(update={"since": since} if since else {})
        for each in keyed
        for since in [times.since(each.sentence, now=now, zone=zone, language=language)]
    ]
    return (*map(_as_asked, dated, [each.sentence for each in keyed]), *own)


def _as_asked(candidate: FactCandidate, sentence: str) -> FactCandidate:
    """Return a candidate that ends a fact because the user asked to forget it, in their words."""
    asked = candidate.retracts and to_forget(sentence) is not None
    return candidate.model_copy(update={"statement": sentence[:LONGEST]}) if asked else candidate


async def read_keyed(statement: str, at: datetime, zone: ZoneInfo) -> list[FactCandidate]:
    """Return the facts with keys that rules read in what somebody noted about the user."""
    found = await FactExtractor(None, 0.0).extract([first_person(statement)], at, zone)
    return [each for each in found.candidates if each.attribute]


def skip(reason: str, count: int | None = None) -> MemoryDecision:
    """Return the decision to keep nothing, for how many candidates if that is known."""
    scores = {"candidates": float(count)} if count else {}
    return MemoryDecision(kind="fact", action="skip", reason=reason, scores=scores)
