"""What was said, and what should memory have made of it?"""

from dataclasses import dataclass, field
from typing import TypeVar

from memory_graph.policy.recall import RecallFound
from memory_graph.records import Episode, Fact
from memory_graph.testing.moving_clock import MovingClock
from memory_graph.testing.surfaces import Event, Heard, Saying, Surface

R = TypeVar("R", Fact, Episode)


@dataclass
class Scenario:
    """A conversation with expectations about memory, on any surface.

    `user_says` runs a turn; each `expect_…` is about the last turn, or about what is
    stored, and fails with an `AssertionError` that shows what there was instead.
    """

    surface: Surface
    user: str = "ana"
    zone: str = "UTC"
    clock: MovingClock = field(default_factory=MovingClock)
    heard: Heard = field(default_factory=lambda: Heard("", ()))
    turns: list[Heard] = field(default_factory=list)

    def wait(self, **step: float) -> None:
        """Let time pass before the next turn: `wait(hours=3)`."""
        self.clock.move(**step)

    async def user_says(
        self,
        text: str,
        *,
        user: str | None = None,
        thread: str = "main",
        message_id: str | None = None,
    ) -> Heard:
        """Run one turn; the same `message_id` again is the same message delivered again."""
        named = message_id or f"message-{len(self.turns) + 1}"
        who = user or self.user
        saying = Saying(text, who, thread, self.clock.at, named, self.zone)
        self.heard = await self.surface.say(saying)
        self.turns.append(self.heard)
        return self.heard

    async def expect_fact(
        self, fact_id: str, *, value: str | None = None, was: str | None = None
    ) -> Fact:
        """Expect a current fact; with a value, and with the value it had before."""
        facts = {each.id: each for each in await self._of(Fact)}
        assert fact_id in facts, f"No fact {fact_id!r}; there is: {sorted(facts)}"
        fact = facts[fact_id]
        assert fact.valid_to is None, f"{fact_id!r} was retracted at {fact.valid_to}"
        assert value in {None, fact.value}, f"{fact_id!r} is {fact.value!r}, not {value!r}"
        before = fact.history[-1].value if fact.history else None
        assert was in {None, before}, f"{fact_id!r} was {before!r}, not {was!r}"
        return fact

    async def expect_no_fact(self, fact_id: str, *, user: str | None = None) -> None:
        """Expect that nothing of the sort is true now; a retracted fact may be left."""
        current = [each.id for each in await self._of(Fact, user) if each.valid_to is None]
        assert fact_id not in current, f"{fact_id!r} is known"

    async def expect_episodes(self, count: int, *, user: str | None = None) -> list[Episode]:
        """Expect so many episodes; return them, oldest first."""
        episodes = await self._of(Episode, user)
        titles = [each.title for each in episodes]
        assert len(episodes) == count, f"{len(episodes)} episodes, not {count}: {titles}"
        return episodes

    def expect_event(self, name: str, *, reason: str | None = None) -> Event:
        """Expect an event of the last turn, such as `memory.update` or `episodic.merge`."""
        fitting = [e for e in self.heard.events if e["event"] == name]
        reasons = [each.get("reason") for each in fitting]
        assert fitting, f"No {name!r}; there was: {[e['event'] for e in self.heard.events]}"
        assert reason is None or reason in reasons, f"{name!r} for {reasons}, not {reason!r}"
        return next(e for e in fitting if reason is None or e.get("reason") == reason)

    def expect_skip(self, reason: str) -> Event:
        """Expect that the last turn was not captured, for this reason."""
        return self.expect_event("episodic.skip", reason=reason)

    def expect_recall(self, *found: RecallFound) -> Event:
        """Expect how far memory answers the last turn: `found`, `weak` or `none`."""
        event = self.expect_event("memory.search")
        assert event["found"] in found, f"recall is {event['found']!r}, not one of {found}"
        return event

    def expect_reply(self, *words: str) -> None:
        """Expect words in the last reply."""
        missing = [word for word in words if word not in self.heard.reply]
        assert not missing, f"{missing} not in {self.heard.reply!r}"

    async def _of(self, kind: type[R], user: str | None = None) -> list[R]:
        found = await self.surface.memories(user or self.user)
        return [each for each in found if isinstance(each, kind)]
