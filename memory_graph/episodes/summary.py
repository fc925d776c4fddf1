"""Summarise an exchange as an episode, with a model or without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from langchain_core.language_models import BaseChatModel

from memory_graph import prompts
from memory_graph.episodes.capture import Exchange
from memory_graph.episodes.offline_summary import summarise as summarise_offline
from memory_graph.errors import ExtractionError, ModelUnavailableError
from memory_graph.language.words import language_of, words_of
from memory_graph.llm.ask import MOST_TOKENS, Answer, Tariff, ask, tariff_of
from memory_graph.llm.models import patience_with
from memory_graph.records import Episode, EpisodeAsked, EpisodeDraft, Said, Usage
from memory_graph.safety.secrets import fence, one_line
from memory_graph.settings import get_settings

EXTRACTIVE = "extractive/1"


PROMPT = "summarise_episode/2"

TOLD = "told_with_facts/1"
"""Its summary is what the model told that read the facts."""


_WHY: Mapping[str, str] = {
    "user_declared": "the user asked to remember it",
    "milestone": "something was reached or finished",
    "decision": "the user decided something",
    "outcome": "something worked, failed or was put right",
    "commitment": "the user plans or promised something",
    "recall_recap": "the user looked back on something that happened",
}
"""What the reason of a capture means to whoever writes the episode."""


def summary_prompt(exchange: Exchange, why: str, most: int) -> str:
    """Return what a model is asked to make an exchange an episode's draft."""
    return prompts.render("summarise_episode", **_slots(exchange, why, most))


def merge_prompt(known: Episode, exchange: Exchange, why: str, most: int) -> str:
    """Return what a model is asked to tell a known episode and what followed as one."""
    told = fence("known-episode", [one_line(f"{known.title}: {known.summary}", 1000)])
    return prompts.render("merge_episode", known=told, **_slots(exchange, why, most))


def _slots(exchange: Exchange, why: str, most: int) -> dict[str, str]:
    new = exchange.said[-most:]
    earlier = exchange.context[-(most - len(new)) :] if most > len(new) else ()
    return {
        "today": exchange.today.isoformat(),
        "why": _WHY.get(why, "it is worth remembering"),
        "earlier": quoted("earlier", earlier) if earlier else "(none)",
        "exchange": quoted("new-messages", new),
    }


async def summarise(
    prompt: str, model: BaseChatModel, *, timeout_s: float, most_tokens: int = MOST_TOKENS
) -> Answer[EpisodeDraft]:
    """Return the draft a model answers with.

    Raises:
        ExtractionError: If the answer cannot be used.
        ModelUnavailableError: If it does not come, or not in time.
    """
    return await ask(
        model,
        prompt,
        EpisodeDraft,
        timeout_s=timeout_s,
        asked=EpisodeAsked,
        most_tokens=most_tokens,
    )


def quoted(label: str, said: Sequence[Said]) -> str:
    """Quote the conversation: user and assistant only, tool traces left out."""
    longest = get_settings().episode_characters
    return fence(label, (f"{each.role}: {one_line(each.text, longest)}" for each in _spoken(said)))


def _spoken(said: Sequence[Said]) -> list[Said]:
    return [each for each in said if each.role != "tool" and each.text]


def left_out(exchange: Exchange) -> int:
    """Return how many characters of the new messages are too many to be shown to a model."""
    longest = get_settings().episode_characters
    return sum(max(0, len(each.text) - longest) for each in _spoken(exchange.said))


WriteFailure = Literal["timeout", "model_error", "parse_error", "over_budget"]


@dataclass(frozen=True)
class Written:
    """An episode's draft, and who wrote it."""

    draft: EpisodeDraft
    by: str = EXTRACTIVE
    usage: Usage = field(default_factory=Usage)
    failure: WriteFailure | None = None
    """Why no model wrote it, although one was asked."""

    cause: str = ""
    """The name of the error."""

    cut: int = 0
    """Characters of the exchange that were not shown to the model."""

    @property
    def is_rewritten(self) -> bool:
        """Whether a known episode was written anew, as one with what followed."""
        return self.by == PROMPT


@dataclass(frozen=True)
class EpisodeWriter:
    """Whoever writes episodes: a model, or the extractive summariser without one."""

    model: BaseChatModel | None
    tariff: Tariff
    timeout_s: float
    window_n: int = 10
    """How many of the last messages the prompt holds."""

    told: tuple[str, ...] = ()
    """What the model that read the facts of the exchange said came of it."""

    async def write(self, exchange: Exchange, why: str, known: Episode | None) -> Written:
        """Write the exchange down; with a model, a known episode is written anew as one.

        A model that fails costs its own words, not the episode: the summariser writes it at
        once, so that no later turn has to wait for that model again. So it does where the call
        would cost too much, which is then not made. Tools, people and things are known from the
        messages themselves, whatever the model says of them.
        """
        offline = summarise_offline(exchange.outcomes, exchange.signals)
        if self.model is None:
            return Written(offline)
        if self.told and is_told_well(self.told, exchange):
            draft = offline.model_copy(update={"summary": " ".join(self.told)})
            return Written(draft, TOLD)
        prompt = _prompt(exchange, why, known, self.window_n)
        most = self.tariff.most_tokens(prompt)
        if not most:
            return Written(offline, failure="over_budget", cause="over_budget")
        try:
            answer = await summarise(prompt, self.model, timeout_s=self.timeout_s, most_tokens=most)
        except (ExtractionError, ModelUnavailableError) as error:
            used = Usage(1, None, None)
            return Written(offline, usage=used, failure=_failure(error), cause=_name(error))
        if not tells_of(answer.reply.summary, exchange, known):
            return Written(offline, usage=answer.usage, failure="parse_error", cause="not_said")
        draft = with_known(answer.reply, offline)
        return Written(draft, PROMPT, answer.usage, cut=left_out(exchange))


def is_told_well(told: Sequence[str], exchange: Exchange) -> bool:
    """Say whether what was told of the user's messages alone tells the exchange.

    What tools did is not in them; what is said in a few words ("B it is") lives by the reply
    before it; and a small model may make up a story.
    """
    is_plain = exchange.is_told_by_user and not exchange.outcomes.tools_used
    return is_plain and all(tells_of(each, exchange, None) for each in told)


def tells_of(summary: str, exchange: Exchange, known: Episode | None) -> bool:
    """Say whether a summary tells of what was said: a small model may make up a story.

    In a few words, or told in another language, it need not share any, and is believed.
    """
    spoken = _spoken((*exchange.context, *exchange.said))
    text = " ".join((*(each.text for each in spoken), known.summary if known else ""))
    language = language_of(text)
    told = {word[:_BEGINNING] for word in words_of(summary, language)}
    said = {word[:_BEGINNING] for word in words_of(text, language)}
    is_judged = len(told) >= _LEAST and language_of(summary) == language
    return not is_judged or len(told & said) >= _SHARE * len(told)


_BEGINNING, _LEAST, _SHARE = 4, 6, 0.2
"""Words that begin alike are one, and so many of a summary's words were said. A limit: of the
recorded summaries that tell what was said, the freest shares a quarter of its words."""


def with_known(draft: EpisodeDraft, offline: EpisodeDraft) -> EpisodeDraft:
    """Return a model's draft with the tools, people and things that the messages name."""
    return draft.model_copy(
        update={
            "tools_used": tuple(dict.fromkeys((*offline.tools_used, *draft.tools_used))),
            "participants": tuple(dict.fromkeys((*offline.participants, *draft.participants))),
            "entities": draft.entities or offline.entities,
            "tags": draft.tags or offline.tags,
        }
    )


def _name(error: Exception) -> str:
    """Return what failed, by the provider's own error where it is known."""
    return type(error.__cause__ or error).__name__


def _failure(error: Exception) -> WriteFailure:
    if isinstance(error.__cause__, TimeoutError):
        return "timeout"
    return "parse_error" if isinstance(error, ExtractionError) else "model_error"


def writer_for(
    model: BaseChatModel | None, window_n: int = 10, told: tuple[str, ...] = ()
) -> EpisodeWriter:
    """Return a writer with the limits that settings name.

    A model that is named for episodes writes each of them, whatever another one told.
    """
    settings = get_settings()
    known = () if settings.episode_model else told
    patience = patience_with(model).episode_s
    return EpisodeWriter(model, tariff_of(model, settings), patience, window_n, known)


def _prompt(exchange: Exchange, why: str, known: Episode | None, most: int) -> str:
    if known is None:
        return summary_prompt(exchange, why, most)
    return merge_prompt(known, exchange, why, most)
