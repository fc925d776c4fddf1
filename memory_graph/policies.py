"""The numbers behind every decision: what each means, and its default."""

import ast
from collections.abc import Mapping
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory_graph.records import (
    FACT_CATEGORIES,
    SECRET_KINDS,
    SIGNALS,
    FactCategory,
    SecretKind,
    Share,
    Signal,
)


def read_numbers(value: object) -> object:
    """Read `profile=0.9,health=0.95` as numbers by name; leave anything else alone."""
    if not isinstance(value, str):
        return value
    pairs = (part.split("=", 1) for part in value.replace(" ", "").split(",") if part)
    return {pair[0]: pair[-1] for pair in pairs}


def read_names(value: object) -> object:
    """Read `card,token` as names; leave anything else alone."""
    if not isinstance(value, str):
        return value
    return tuple(part for part in value.replace(" ", "").split(",") if part)


def named(variable: str, default: object, **bounds: Any) -> Any:  # noqa: ANN401 — as `Field`
    """Return a field whose variable does not follow from its name."""
    return Field(default, json_schema_extra={"env": variable}, **bounds)


@cache
def meanings(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the text under each field of a class; read when asked for, as it takes a while."""
    [definition] = ast.parse(getsource(model)).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    found = {}
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            below = text.value if isinstance(text, ast.Expr) else None
            if isinstance(below, ast.Constant):
                found[field.target.id] = cleandoc(str(below.value))
    return found


def _with_meanings(schema: dict[str, Any], model: type[BaseModel]) -> None:
    for name, text in meanings(model).items():
        schema["properties"][name]["description"] = text


ByCategory = Annotated[Mapping[FactCategory, Share], BeforeValidator(read_numbers)]


class Policy(BaseModel):
    """The numbers behind one decision. Set them in the settings file, or per run in `Context`."""

    model_config = ConfigDict(
        defer_build=True,
        frozen=True,
        extra="forbid",
        json_schema_extra=_with_meanings,
        allow_inf_nan=False,
    )


class Weights(Policy):
    """Weights by name; one variable sets them all, as `lexical=0.6,vector=0.4`."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object) -> object:
        return read_numbers(value)


class RankingWeights(Weights):
    """What each signal, itself between 0 and 1, adds to a score. Tuned: docs/lab/tuning.md.

    The plateau is wide: a third more or less of any one weight moves recall@10 by about a point.
    """

    lexical: float = Field(default=0.6, ge=0)
    """Share of the query's words, by rarity, in the item and its neighbours.
    A definition: the unit of the other weights, as only ratios rank.
    """

    vector: float = Field(default=0.6, ge=0)
    """Calibrated similarity. Less than words: small embedders blur names and numbers."""

    speaker: float = Field(default=0.17, ge=0)
    """Said by the one participant whom the query names."""

    time: float = Field(default=0.2, ge=0)
    """Said in the time asked about. A boost: hard filters lose more than they gain."""

    asks: float = Field(default=-0.07, le=0)
    """A short turn that ends in a question asks for information, it does not give any."""

    importance: float = Field(default=0.05, ge=0)
    """Enough to decide between equals, too little to outrank a better match."""

    recency: float = Field(default=0.02, ge=0)
    """As `importance`; questions about the past raise it."""

    pinned: float = Field(default=0.1, ge=0)
    """Marked by a person as always relevant."""

    half_life_days: float = Field(default=30.0, gt=0)
    """Days after which `recency` has fallen to a half."""

    @model_validator(mode="before")
    @classmethod
    def _read_similarity(cls, value: object) -> object:
        """Read `similarity=0.5` as the weight of words and of vectors, which make it up."""
        value = read_numbers(value)
        if not isinstance(value, Mapping) or "similarity" not in value:
            return value
        rest = {name: each for name, each in value.items() if name != "similarity"}
        if twice := rest.keys() & {"lexical", "vector"}:
            raise ValueError(
                f"`similarity` also sets `{', '.join(sorted(twice))}`; give only one of them"
            )
        return {"lexical": value["similarity"], "vector": value["similarity"], **rest}

    def by_signal(self, *, with_vector: bool = True) -> dict[Signal, float]:
        """Return the weight of each signal; without vectors, words take their weight over."""
        weights = {signal: float(getattr(self, signal)) for signal in SIGNALS}
        if not with_vector:
            weights["lexical"] += weights["vector"]
            weights["vector"] = 0.0
        return weights


class NotabilityWeights(Weights):
    """How much each signal speaks for an episode, in log-odds.

    Fitted by `python -m evals.tuning.signs`, then rounded towards keeping: what is kept without
    need is one line too many, and what is not kept is lost. Named as in `Signals`.
    """

    prior: float = 1.75
    """Where an exchange without any sign starts; `outcome` takes most of it away."""

    user_declared: float = 7.5
    tool_actions: float = 6.0
    """From here up, one sign is enough."""

    outcome: float = 4.0
    """Of the head's certainty, -1 to 1: what is surely no outcome counts against."""

    eventful: float = 0.75
    follows_up: float = 1.75
    goes_on: float = 1.5
    """What is told of a known story needs less of an outcome to be a part of it."""


class CausalityPolicy(Policy):
    """When a pattern counts as a warning."""

    antipattern_max_success: Share = 0.3
    """Highest success rate of an anti-pattern.
    A definition: fails more often than not, with some room for luck.
    """

    antipattern_min_occurrences: int = Field(default=2, ge=1)
    """Fewest tries of an anti-pattern.
    A definition: the least that is a repetition.
    """


class RecallPolicy(Policy):
    """What `memory_context` reads, and how much of it the agent is given."""

    topk: int = named("MEMORY_CONTEXT_TOPK", 24, ge=1)
    """Facts considered per turn. A limit: bounds the prompt."""

    topn: int = named("MEMORY_CONTEXT_TOPN", 32, ge=1)
    """Memories given to the agent, whatever is asked. A limit: bounds the prompt."""

    lines: int = Field(default=6, ge=1, le=50)
    """Memories shown with a message, best first. A limit: every turn pays for them. Six lines hold
    85 of 88 answers, four hold 79.
    """

    lines_listed: int = Field(default=8, ge=1, le=50)
    """The same where a time or a list is asked for. A limit: every turn pays for them."""

    bears: Share = 0.35
    """Relevance of the best line from which it bears on a message that asks nothing.
    Chosen with `bears_asked`.
    """

    bears_asked: Share = 0.2
    """The same for a question that may be about anything. A definition: the best line is at most
    .19 for what memory has nothing on, in the user's language and in others.
    """

    bears_told: Share = 0.1
    """The same for a question about what was told or happened. A definition: the best line is at
    least .13 for each of 53 such questions about clean facts of six people, in three languages.
    """

    bears_share: Share = 0.4
    """Share of the best line's relevance below which a line is not shown. A limit: bounds the
    prompt; .6 loses eight answers of 88.
    """

    token_budget: int = Field(default=1200, ge=50)
    """Longest memory block, in tokens. A limit: every turn pays for it."""

    recall_episodes: int = Field(default=8, ge=1, le=50)
    """Episodes looked at. A limit: bounds the work of a turn."""

    recall_turns: int = Field(default=16, ge=0, le=100)
    """Turns, word for word, looked at. A limit: bounds the work of a turn."""

    weights: RankingWeights = named("MEMORY_RERANK_WEIGHTS", RankingWeights())
    """Ranking weights, for example `lexical=0.6,vector=0.4,recency=0.05`; `similarity=0.5` sets
    the first two.
    """

    boost: bool = True
    """Show more episodes and prefer recent ones when the user asks about the past."""

    found_min: Share = 0.8
    """Confidence from which the question counts as answered by memory.
    Chosen on questions by many authors: `python -m evals.tuning.recall_signal` prints what other
    values give.
    """

    weak_min: Share = 0.15
    """Confidence below which memory holds nothing about the question.
    Chosen with `found_min`: of the open questions that memory answers first or second, 1.3 % fall
    below it, and 56 % of those about what was never told.
    """

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.weak_min > self.found_min:
            raise ValueError(
                f"`weak_min` ({self.weak_min:g}) may not be above `found_min` ({self.found_min:g})"
            )
        return self


class ProfilePolicy(Policy):
    """What every message is sent with: who the user is, and how they want the agent to work."""

    tokens: int = Field(default=120, ge=0)
    """Longest profile. A limit: every turn pays for it, though most of it from the cache."""

    instructions: int = Field(default=20, ge=0)
    """Wishes of the user that are always shown, the latest first.
    A limit: every turn pays for them.
    """

    instruction_tokens: int = Field(default=200, ge=0)
    """The longest they may be together. A limit: every turn pays for them."""

    scoped: int = Field(default=3, ge=0)
    """Wishes for an occasion that are shown where a message is one. A limit: bounds the prompt."""

    scoped_min: Share = 0.4
    """Similarity from which a message is an occasion for a wish. A definition: related at least."""


class BootstrapPolicy(Policy):
    """The briefing before a task."""

    failure_days: int = Field(default=7, ge=1)
    """Age in days up to which failures are warnings. A limit: bounds the briefing."""

    failures: int = Field(default=3, ge=0)
    """Recent failures, as warnings. A limit: part of `token_budget`."""

    patterns: int = Field(default=5, ge=0)
    """Patterns that mostly worked, as advice. A limit: part of `token_budget`."""

    pattern_min_success: Share = 0.7
    """Lowest success rate of advice. A definition: as `works_from` of learning."""

    antipatterns: int = Field(default=3, ge=0)
    """Patterns that mostly failed, as warnings. A limit: part of `token_budget`."""

    next_steps: int = Field(default=5, ge=0)
    """Planned steps that no later episode continued. A limit: part of `token_budget`."""

    facts: int = Field(default=5, ge=0)
    """Facts about the user. A limit: part of `token_budget`."""

    fact_min_importance: int = Field(default=4, ge=1, le=5)
    """From this importance on, facts need not fit the task.
    A definition: 4 and 5 are what extraction calls important.
    """

    min_relevance: Share = 0.27
    """Relevance below which memories are left out. Tuned: docs/lab/tuning.md."""

    token_budget: int = Field(default=600, ge=50)
    """Longest briefing, in tokens. A limit: the first turn pays for it."""


class VerbatimPolicy(Policy):
    """Turns kept word for word, besides facts and episodes."""

    enabled: bool = named("MEMORY_GRAPH_VERBATIM_ENABLED", True)
    """Keep turns word for word, and search them."""

    max_age_days: int = named("MEMORY_GRAPH_VERBATIM_MAX_AGE_DAYS", 365, ge=1)
    """Days after which turns are deleted. A limit: a promise to the user."""

    max_turns: int = Field(default=10_000, ge=10)
    """Messages kept per user; the oldest are deleted. A limit: bounds the store."""

    max_characters: int = Field(default=4000, ge=100)
    """Characters kept of a message; longer ones are cut. A limit: bounds one write."""


class AdmissionPolicy(Policy):
    """When a statement updates a known fact instead of adding one."""

    enabled: bool = named("MEMORY_GRAPH_ADMISSION_ENABLED", True)
    """Keep facts. If off, recall and episodes still work."""

    auto: Share = named("MEMORY_SEM_AUTO", 0.92)
    """Similarity (0–1, calibrated) from which statements are one fact.
    A definition: nearly the same words.
    """

    low: Share = named("MEMORY_SEM_LOW", 0.70)
    """Similarity from which what a model names, or a judge finds the same, is one fact.
    A definition: the same subject.
    """

    auto_by_category: ByCategory = named("MEMORY_SEM_AUTO_BY_CATEGORY", {})
    """`auto` by category, for example `health=0.95,preference=0.9`."""

    low_by_category: ByCategory = named("MEMORY_SEM_LOW_BY_CATEGORY", {})
    """`low` by category."""

    window: int = Field(default=3, ge=1, le=20)
    """Latest user turns read, to resolve pronouns. A limit: part of every prompt."""

    max_facts: int = Field(default=12, ge=1, le=50)
    """Facts per turn; the most important are kept. A limit: bounds one write."""

    candidates: int = Field(default=12, ge=1, le=50)
    """Known facts that a statement is compared with. A limit: bounds time."""

    reads_a_day: int = Field(default=500, ge=0)
    """Messages of a user that a model reads in a day; the others wait. A limit: bounds cost."""

    max_instructions: int = Field(default=20, ge=1, le=100)
    """Instructions in force; past it the oldest end. A limit: part of every prompt."""

    sensitive: Annotated[tuple[SecretKind, ...], BeforeValidator(read_names)] = named(
        "MEMORY_GRAPH_ADMISSION_SENSITIVE", SECRET_KINDS
    )
    """Kinds of secrets that are never stored, nor sent to the extraction model."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Refuse bands that overlap: what is ambiguous would be decided both ways."""
        for category in FACT_CATEGORIES:
            bands = self.thresholds(category)
            if bands["low"] > bands["auto"]:
                low = "_BY_CATEGORY" if category in self.low_by_category else ""
                auto = "_BY_CATEGORY" if category in self.auto_by_category else ""
                raise ValueError(
                    f"MEMORY_SEM_LOW{low} ({bands['low']:g}) may not be above "
                    f"MEMORY_SEM_AUTO{auto} ({bands['auto']:g}) for {category!r}"
                )
        return self

    def thresholds(self, category: str) -> dict[str, float]:
        """Return the bands that apply to one category of facts."""
        auto = {str(name): each for name, each in self.auto_by_category.items()}
        low = {str(name): each for name, each in self.low_by_category.items()}
        return {"auto": auto.get(category, self.auto), "low": low.get(category, self.low)}


class UpkeepPolicy(Policy):
    """When episodes are closed, archived and made less important."""

    stale_after_hours: float = Field(default=24, gt=0)
    """Hours without change after which an episode is closed.
    A limit: merging ends with the day.
    """

    archive_after_days: float = Field(default=180, gt=0)
    """Age at which closed episodes are archived, except the most important.
    A limit: bounds what is searched.
    """

    decay_after_days: float = Field(default=60, gt=0)
    """Days without change or recall after which importance falls by one.
    A limit: no decision depends on it alone.
    """

    forget_facts_after_days: float | None = named(
        "MEMORY_GRAPH_UPKEEP_FORGET_FACTS_AFTER_DAYS", None, gt=0
    )
    """Days without being stated or changed after which maintenance deletes a fact. Unset: never.
    Pinned facts stay. Turns: `MEMORY_GRAPH_VERBATIM_MAX_AGE_DAYS`.
    """

    forget_episodes_after_days: float | None = named(
        "MEMORY_GRAPH_UPKEEP_FORGET_EPISODES_AFTER_DAYS", None, gt=0
    )
    """Age at which maintenance deletes an episode. Unset: never. Pinned episodes stay."""

    users_per_run: int = Field(default=1000, ge=1)
    """Users that one run of maintenance handles; the next run continues with the others.
    A limit: bounds one run.
    """


class LearningPolicy(Policy):
    """When repeated outcomes are proposed as a pattern."""

    enabled: bool = False
    """Let maintenance propose patterns; a person confirms them in the inspector."""

    min_episodes: int = Field(default=3, ge=2)
    """Episodes that a proposal needs.
    A definition: the least that a person would be asked to confirm.
    """

    works_from: Share = 0.7
    """Success rate from which an action is advice.
    A definition: all of three tries, or all but one of four.
    """

    fails_to: Share = 0.3
    """Success rate up to which an action is a warning.
    A definition: the mirror of `works_from`.
    """

    min_likeness: float = Field(default=0.5, gt=0, le=1)
    """Share of common words from which triggers or actions are the same.
    Tuned: docs/lab/tuning.md.
    """

    episodes: int = Field(default=300, ge=1)
    """Latest episodes compared. A limit: time grows with the square."""


class Limits(Policy):
    """What one process waits for, holds and reads.

    A limit: each bounds time, memory or cost.
    """

    episode_characters: int = Field(default=12_000, ge=200)
    """Characters of a message that the model sees when it writes an episode; the event
    `memory.episode` says how many were cut.
    """

    episode_alarm_after: int = Field(default=3, ge=1)
    """Failed episodes in a row after which an error is logged."""

    embedder_timeout_s: float = Field(default=4, gt=0)
    """Seconds to wait for vectors from an endpoint; after that, search uses words for a while."""

    store_read_timeout_s: float = Field(default=1.5, gt=0)
    """Seconds after which a store that does not answer a read is down."""

    store_scan_timeout_s: float = Field(default=10, gt=0)
    """Seconds to wait for all memories of a user; after that, reading goes on in the background."""

    store_write_timeout_s: float = Field(default=5, gt=0)
    """Seconds after which a store that does not accept a write is down."""

    ledger_max: int = Field(default=1000, ge=10)
    """Turns whose decisions are kept, per user, for `why` and undo."""

    index_max_items: int = named("MEMORY_GRAPH_INDEX_MAX_ITEMS", 5_000, ge=100)
    """Memories of all users that one process keeps indexed, 2.9 kB each. The user who is served is
    indexed in any case; on Postgres others are searched in SQL.
    """

    index_max_namespace: int = Field(default=20_000, ge=1)
    """Above this many memories of one kind, Postgres always searches them in SQL: a larger index
    takes too long to read.
    """

    read_characters: int = Field(default=12_000, ge=200)
    """Characters of a message that are read: the beginning and the end of a longer one."""


class CapturePolicy(Policy):
    """When an exchange becomes an episode, merges into one or continues one."""

    enabled: bool = named("EPISODIC_ENABLED", True)
    """Write episodes."""

    cooldown_turns: int = named("EPISODIC_COOLDOWN_TURNS", 3, ge=0)
    """Turns between two episodes, unless enough minutes pass.
    A limit: bounds how often a model writes. Its cost: docs/lab/tuning.md.
    """

    cooldown_minutes: float = named("EPISODIC_COOLDOWN_MINUTES", 10, ge=0)
    """Minutes between two episodes, unless enough turns pass.
    A limit: as `cooldown_turns`. Its cost: docs/lab/tuning.md.
    """

    max_per_day: int = named("EPISODIC_MAX_PER_DAY", 5, ge=0)
    """Episodes per user and local day. A limit: bounds cost; nothing overrides it."""

    novelty_min: Share = named("EPISODIC_NOVELTY_MIN", 0.1)
    """Least novelty: 1 - similarity to the nearest recent episode. Tuned: docs/lab/tuning.md."""

    notability_min: Share = 0.5
    """Least notability: one clear outcome, or several hints. Tuned: docs/lab/tuning.md."""

    weights: NotabilityWeights = NotabilityWeights()
    """Notability weights, for example `decision=3.25,routine=-1`."""

    merge_window_hours: float = named("EPISODIC_MERGE_WINDOW_HOURS", 12, ge=0)
    """Hours after its end in which an exchange on the same theme merges into an episode.
    A limit: below 24, merging ends with the user's day, and a later day's exchange is chained;
    24 to 72 merge across days.
    """

    merge_similarity: Share = 0.85
    """Similarity of themes from which an exchange merges into an episode of the day.
    Tuned: docs/lab/tuning.md.
    """

    window_n: int = named("EPISODIC_WINDOW_N", 10, ge=1)
    """Latest messages that a summary is made from. A limit: bounds the prompt."""

    parent_similarity: Share = 0.85
    """Similarity of themes above which an episode continues another. Tuned: docs/lab/tuning.md."""

    parent_window_hours: float = Field(default=48, ge=0)
    """Hours after its end in which an episode is continued without anybody saying so.
    A limit: what a model or a caller names as the parent may be older.
    """
