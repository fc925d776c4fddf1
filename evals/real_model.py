"""Checks with a real chat model, beside the offline rules and LangMem on the same cases.

Run `make eval-model`, or `python -m evals.real_model`: with `MEMORY_GRAPH_MODEL` set that model
is asked, else a local one as docs/lab/models.md says. It prints one table. What the model
answered is kept in a file, of which the tests read a copy.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar
from unittest.mock import patch
from zoneinfo import ZoneInfo

import httpx
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.store.memory import InMemoryStore

from evals.harness.runner import CASES, Figure, Setup, split_of
from evals.model_calls import asked_about
from evals.suites import extraction, same_fact, updates
from evals.suites.exchanges import Exchange
from evals.suites.exchanges import load as load_exchanges
from evals.suites.fact_cases import (
    MUST_CHANGE,
    NOW,
    TODAY,
    Judgement,
    Message,
    Pair,
    load,
    read_messages,
)
from evals.suites.langmem_peer import LangMem, SpokenCalls
from evals.suites.people import play, read_people
from evals.suites.people_scoring import Answer, Kept, Person, figures_of
from memory_graph.errors import MemoryGraphError
from memory_graph.facts.extraction import FactExtractor
from memory_graph.facts.model_reader import ask_same_facts
from memory_graph.graph import build_graph
from memory_graph.language.likeness import is_same_fact
from memory_graph.llm.ask import ask, quiet
from memory_graph.llm.models import load_model, patience_with
from memory_graph.records import EpisodeAsked, EpisodeDraft, FactCandidate
from memory_graph.settings import get_settings

Case = TypeVar("Case")
OPEN = CASES / "people" / "fifth_hand_dev.json"
DENIES = r"\bnot\b|n't|\bno\b"
WHO = ("rules alone", "memory_graph", "LangMem")
COLUMNS = ("part", "who", "right", "calls", "prompt tokens", "answer tokens", "seconds")


@dataclass
class Spent(AsyncCallbackHandler):
    """What was asked and answered, and what it cost."""

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    recordings: list[tuple[str, str]] = field(default_factory=list)
    _asked: str = ""

    async def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **kwargs: object
    ) -> None:
        """Keep what is asked."""
        self._asked = "\n".join(str(each.text) for each in messages[0])

    async def on_llm_end(self, response: LLMResult, **kwargs: object) -> None:
        """Count an answer, and keep it."""
        generation = response.generations[0][0]
        assert isinstance(generation, ChatGeneration)
        usage = getattr(generation.message, "usage_metadata", None) or {}
        self.calls += 1
        self.prompt_tokens += usage.get("input_tokens", 0)
        self.answer_tokens += usage.get("output_tokens", 0)
        self.recordings.append((self._asked, generation.text))


@dataclass(frozen=True)
class Row:
    """How one of them did on one part."""

    part: str
    who: str
    right: str
    spent: Spent
    seconds: float

    def cells(self) -> tuple[str, ...]:
        """Return the row as it is printed."""
        numbers = (self.spent.calls, self.spent.prompt_tokens, self.spent.answer_tokens)
        return (self.part, self.who, self.right, *map(str, numbers), f"{self.seconds:.0f}")


@dataclass
class Check:
    """One run over a fixed sample of cases."""

    model: BaseChatModel
    name: str
    limit: int
    person: Person
    """Whose conversation is played."""

    keep: Path | None = None
    who: Sequence[str] = WHO

    async def run(self, parts: Sequence[str]) -> None:
        """Run the parts, and print each row when it is there."""
        print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
        for part in parts:
            await getattr(self, part)()

    async def measure(
        self, part: str, who: str, cases: Sequence[Case], judge: Callable[[Case], Awaitable[bool]]
    ) -> None:
        """Judge every case and add a row; a case that fails is a wrong one."""
        right: list[bool] = []

        async def all_cases() -> str:
            for case in cases:
                try:
                    right.append(await judge(case))
                except MemoryGraphError as error:
                    print(f"<!-- {part}, {who}: {error} -->", flush=True)
            return f"{sum(right)} of {len(cases)}"

        await self.row(part, who, all_cases)

    async def row(self, part: str, who: str, work: Callable[[], Awaitable[str]]) -> None:
        """Do something that says how much of it was right, and print what it cost."""
        if who not in self.who:
            return
        spent = Spent()
        self.model.callbacks = [spent]
        started = perf_counter()
        row = Row(part, who, await work(), spent, perf_counter() - started)
        print(f"| {' | '.join(row.cells())} |", flush=True)
        if self.keep and who == "memory_graph":
            with self.keep.open("a", encoding="utf-8") as file:
                for asked, answered in spent.recordings:
                    kept = {**_recorded(asked), "answered": answered}
                    file.write(json.dumps(kept, ensure_ascii=False) + "\n")

    @property
    def with_model(self) -> Setup:
        """Return the setup of the suites, with the model."""
        return Setup(model_name="real", model=self.model)

    def langmem(self, case: str) -> LangMem:
        """Return LangMem with a memory of its own, and the model asked as we ask it."""
        return LangMem(f"peer-{case}", model=SpokenCalls(inner=quiet(self.model)))

    async def extraction(self) -> None:
        """Read messages that nobody tuned on."""
        held = [each for each in read_messages() if split_of(each.id) == "check"]
        cases = _some([each for each in held if each.gate == "pass"], self.limit)

        async def by_rules(case: Message) -> bool:
            return (await extraction.judge_one(case, Setup())).passed

        async def by_model(case: Message) -> bool:
            texts = (*case.history, case.text)
            extractor = FactExtractor(self.model, patience_with(self.model).episode_s)
            heard = await extractor.extract(texts, NOW, ZoneInfo("UTC"))
            return extraction.judge(case, heard.candidates).passed

        async def by_langmem(case: Message) -> bool:
            peer = self.langmem(case.id)
            await peer.take_in((*case.history, case.text))
            told = [FactCandidate(statement=each[:500]) for each in await peer.kept() if each]
            return extraction.judge(case, tuple(told)).passed

        await self.measure("extraction", "rules alone", cases, by_rules)
        await self.measure("extraction", "memory_graph", cases, by_model)
        await self.measure("extraction", "LangMem", cases, by_langmem)

    async def updates(self) -> None:
        """Tell a fact and what follows it; LangMem gets the same pairs."""
        pairs = [each for each in updates.read_pairs() if split_of(each.id) == "check"]
        cases = _some(pairs, self.limit)

        async def by_rules(pair: Pair) -> bool:
            return (await updates.judge_one(pair, Setup())).passed

        async def by_model(pair: Pair) -> bool:
            return (await updates.judge_one(pair, self.with_model)).passed

        async def by_langmem(pair: Pair) -> bool:
            peer = self.langmem(pair.id)
            await peer.take_in((pair.old,))
            effect = await peer.take_in((pair.old, pair.new))
            is_changed = effect == "changed" and updates.ends_right(pair, await peer.told())
            return is_changed if pair.relation in MUST_CHANGE else effect != "changed"

        await self.measure("updates", "rules alone", cases, by_rules)
        await self.measure("updates", "memory_graph", cases, by_model)
        await self.measure("updates", "LangMem", cases, by_langmem)

    async def conversation(self) -> None:
        """Play what a person said: they tell, ask and chat. LangMem hears every turn."""
        person = self.person

        async def by_rules() -> str:
            with _reading_with(""):
                return _told(await play(person))

        async def by_model() -> str:
            with _reading_with(self.name):
                return _told(await play(person))

        async def by_langmem() -> str:
            peer, answers = self.langmem(person.id), []
            for number, turn in enumerate(person.turns, 1):
                if turn.ask:
                    answers.append(Answer(turn.ask, "", "\n".join(await peer.found(turn.say))))
                await peer.take_in((turn.say,))
                print(f"<!-- LangMem, turn {number}: {await peer.kept()} -->", flush=True)
            return _told(figures_of(person, answers, Kept(await peer.kept())))

        part = f"{person.id}, {len(person.turns)} turns"
        await self.row(part, "rules alone", by_rules)
        await self.row(part, "memory_graph", by_model)
        await self.row(part, "LangMem", by_langmem)

    async def same_fact(self) -> None:
        """Judge pairs of statements, four at a time."""
        cases = _some(load(same_fact.JUDGED, Judgement.model_validate_json), self.limit)
        batches = [cases[n : n + 4] for n in range(0, len(cases), 4)]
        told: dict[str, bool] = {}

        async def by_rules(case: Judgement) -> bool:
            return is_same_fact(case.old, case.new) == case.same

        async def by_model(case: Judgement) -> bool:
            batch = next(each for each in batches if case in each)
            if case.id not in told:
                pairs = [(each.old, each.new) for each in batch]
                timeout_s = patience_with(self.model).episode_s
                same, _ = await ask_same_facts(pairs, self.model, timeout_s=timeout_s)
                told.update(zip([each.id for each in batch], same, strict=True))
            return told[case.id] == case.same

        await self.measure("same fact", "rules alone", cases, by_rules)
        await self.measure("same fact", "memory_graph", cases, by_model)

    async def episodes(self) -> None:
        """Write exchanges down; right is a summary in the words of the new messages."""
        worth = [each for each in load_exchanges() if each.worth and each.split == "check"]

        async def by_model(case: Exchange) -> bool:
            from memory_graph import prompts  # noqa: PLC0415
            from memory_graph.episodes.writing import quoted  # noqa: PLC0415

            prompt = prompts.render(
                "summarise_episode",
                today=TODAY.isoformat(),
                why="something was decided or done",
                earlier="(none)",
                exchange=quoted("new-messages", case.said),
            )
            timeout_s = patience_with(self.model).episode_s
            answer = await ask(
                self.model, prompt, EpisodeDraft, timeout_s=timeout_s, asked=EpisodeAsked
            )
            said = " ".join(each.text for each in case.said)
            return _is_about(answer.reply.summary, said)

        await self.measure("episodes", "memory_graph", _some(worth, self.limit // 2), by_model)

    async def agent(self) -> None:
        """Ask the agent what memory knows, and what it does not."""
        store = InMemoryStore()
        config: Any = {"configurable": {"user_id": "ana", "thread_id": "told"}}
        with _reading_with(""):
            offline = build_graph(store=store)
            for text in ("I live in Porto.", "My cat Luna is 4.", "I am allergic to peanuts."):
                await offline.ainvoke({"messages": [HumanMessage(text)]}, config)
        graph = build_graph(store=store, model=self.model)

        async def answers(case: tuple[str, str, str]) -> bool:
            question, wanted, unwanted = case
            own: Any = {"configurable": {"user_id": "ana", "thread_id": question}}
            state = await graph.ainvoke({"messages": [HumanMessage(question)]}, own)
            reply = str(state["messages"][-1].text)
            print(f"<!-- {question} | {reply[:160]!r} -->", flush=True)
            return bool(re.search(wanted, reply, re.I)) and not re.search(unwanted, reply, re.I)

        cases = (
            ("Where do I live?", r"\byou\b.*Porto", r"the user"),
            ("How old is my cat?", r"\b(4|four)\b", r"the user"),
            ("What am I allergic to?", r"peanuts", r"the user"),
            ("When is my dentist appointment?", DENIES, r"\d ?(am|pm)|\d:\d\d|scheduled"),
            ("What is my sister called?", DENIES, r"(called|named|name is) [A-Z]"),
        )
        await self.measure("agent", "memory_graph", cases, answers)


def _recorded(asked: str) -> dict[str, object]:
    """Return what a prompt asked about, as tests read recordings."""
    if about := asked_about(asked):
        return {"part": "extraction", "said": about.said, "known": about.known}
    if pairs := re.findall(r"^\d+\. old: ", asked, re.M):
        return {"part": "same fact", "pairs": len(pairs)}
    return {"part": "episodes" if "one episode" in asked else "reply"}


def _told(figures: Mapping[str, Figure]) -> str:
    told = ("facts kept", "corrected", "sound facts", "in block")
    return ", ".join(f"{name} {figures[name].right} of {figures[name].of}" for name in told)


@contextmanager
def _reading_with(model: str) -> Iterator[None]:
    """Let a model read facts and write episodes, as long as it takes; replies are offline."""
    wanted = {
        "MEMORY_GRAPH_MODEL": "",
        "MEMORY_EXTRACTION_MODEL": model,
        "MEMORY_EXTRACTION_TIMEOUT_S": "1200",
        "MEMORY_EPISODE_TIMEOUT_S": "1200",
    }
    with patch.dict("os.environ", wanted):
        get_settings.cache_clear()
        yield
    get_settings.cache_clear()


def _some(cases: Sequence[Case], count: int) -> Sequence[Case]:
    """Return every n-th case: files are sorted by kind."""
    return cases[:: max(1, len(cases) // max(count, 1))][:count]


def _is_about(summary: str, said: str) -> bool:
    """Say whether most telling words of a summary were said."""
    words = {word[:4].casefold() for word in re.findall(r"\w{4,}", summary)} - {"user"}
    heard = {word[:4].casefold() for word in re.findall(r"\w{4,}", said)}
    return bool(words) and len(words & heard) >= 0.5 * len(words)


def _as_served() -> str:
    """Return what an OpenAI-compatible endpoint says of its model: parameters, quantisation."""
    address = get_settings().openai_base_url
    if not address:
        return ""
    listed = httpx.get(f"{address.rstrip('/')}/models").json().get("data") or [{}]
    meta = listed[0].get("meta") or {}
    told = (f"{meta.get('n_params', 0) / 1e9:.2f} B", meta.get("ftype"), f"at {address}")
    return f" ({', '.join(each for each in told if each)})"


PARTS = ("extraction", "updates", "conversation", "same_fact", "episodes", "agent")


def main() -> None:
    """Run the checks that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=get_settings().model or "local")
    parser.add_argument("--limit", type=int, default=12, help="cases of each part")
    parser.add_argument("--part", action="append", choices=PARTS, help="all, if left out")
    parser.add_argument("--who", action="append", choices=WHO, help="all, if left out")
    parser.add_argument("--people", type=Path, default=OPEN, help="a file of conversations")
    parser.add_argument("--person", default="phd_hydro", help="whose conversation is played")
    parser.add_argument("--turns", type=int, help="so many of its first turns; else all")
    parser.add_argument("--keep", type=Path, help="a file for what the model answered")
    args = parser.parse_args()
    model = load_model(args.model, retries=0)
    assert model is not None
    print(f"Model `{args.model}`{_as_served()}, {args.limit} cases of each part.\n")
    person = next(each for each in read_people(args.people) if each.id == args.person)
    person = person.model_copy(update={"turns": person.turns[: args.turns]})
    check = Check(model, args.model, args.limit, person, args.keep, args.who or WHO)
    asyncio.run(check.run(args.part or PARTS))


if __name__ == "__main__":
    main()
