"""Scorers: pure functions that compare what was wanted with what was got."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

NOTHING_WRONG = "as labelled"


@dataclass(frozen=True)
class Counts:
    """What a comparison found, wanted and got right; several add up."""

    right: int = 0
    proposed: int = 0
    wanted: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
        return Counts(
            self.right + other.right, self.proposed + other.proposed, self.wanted + other.wanted
        )

    @property
    def precision(self) -> float:
        """Share of what was proposed that is right; 1 when nothing was."""
        return self.right / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """Share of what was wanted that was found; 1 when nothing was."""
        return self.right / self.wanted if self.wanted else 1.0

    def f_score(self, beta: float = 1.0) -> float:
        """Weigh precision and recall together; `beta` below 1 favours precision."""
        squared = beta * beta
        weighed = squared * self.precision + self.recall
        return (1 + squared) * self.precision * self.recall / weighed if weighed else 0.0


@dataclass(frozen=True)
class Verdict:
    """How right one answer is (0–1), and why."""

    value: float
    why: str
    counts: Counts | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing at all was wrong."""
        return self.value >= 1.0


def same_label(wanted: str, got: str, *, positive: str | None = None) -> Verdict:
    """Compare two labels; with a `positive` one, also count for precision and recall."""
    right = wanted == got
    counts = None
    if positive is not None:
        hit = Counts(1, 1, 1)
        proposed, missed = Counts(0, 1, 0), Counts(0, 0, 1)
        counts = Counts()
        if got == positive:
            counts = hit if right else proposed
        elif wanted == positive:
            counts = missed
    why = NOTHING_WRONG if right else f"wanted {wanted}, got {got}"
    return Verdict(float(right), why, counts)


def same_set(wanted: AbstractSet[str], got: AbstractSet[str]) -> Verdict:
    """Compare two sets by F1: both empty is right, one empty is wrong."""
    counts = Counts(len(wanted & got), len(got), len(wanted))
    if not wanted and not got:
        return Verdict(1.0, NOTHING_WRONG, counts)
    missing, extra = sorted(wanted - got), sorted(got - wanted)
    problems = [f"missing {', '.join(missing)}"] if missing else []
    problems += [f"extra {', '.join(extra)}"] if extra else []
    value = 2 * counts.right / (counts.proposed + counts.wanted)
    return Verdict(value, "; ".join(problems) or NOTHING_WRONG, counts)


def found_among(wanted: AbstractSet[str], ranked: Sequence[str], cut: int) -> Verdict:
    """Score the share of wanted items among the first `cut`: recall@cut."""
    if not wanted:
        raise ValueError("A question without evidence cannot be scored for retrieval.")
    top = ranked[:cut]
    found = wanted.intersection(top)
    places = [f"{each} at {ranked.index(each) + 1}" for each in sorted(wanted & set(ranked))]
    lost = [f"{each} nowhere" for each in sorted(wanted - set(ranked))]
    return Verdict(len(found) / len(wanted), ", ".join([*places, *lost]))


def one_each(stories: Mapping[str, int], episodes: Sequence[Sequence[tuple[str, bool]]]) -> Verdict:
    """Score episodes by story: every story gets one of its own with all that belongs in it.

    An episode about several stories is right for none of them: unlike two episodes of one
    story, nobody can take it apart again.

    Args:
        stories: The stories worth an episode, each with how many later lines it must also hold.
        episodes: For each episode its lines: whose story, if any, and whether it must be in it.
    """
    about = [{story for story, _ in lines if story} or {""} for lines in episodes]
    own = [next(iter(each)) if len(each) == 1 else "" for each in about]
    found = stories.keys() & set(own)
    due = [
        (owner, each) for owner, lines in zip(own, episodes, strict=True) for each in _due(lines)
    ]
    kept = [each for owner, each in due if owner == each]
    counts = Counts(
        right=len(found) + len(kept),
        proposed=sum(map(len, about)) + len(due),
        wanted=len(stories) + sum(stories.values()),
    )
    problems = [f"nothing of {each}" for each in sorted(stories.keys() - found)]
    problems += [f"{each} lacks a part" for each, n in stories.items() if kept.count(each) < n]
    problems += [f"{each} twice" for each in sorted(found) if own.count(each) > 1]
    problems += [f"{' and '.join(sorted(each))} mixed" for each in about if len(each) > 1]
    problems += ["one of nothing"] * sum(not each & stories.keys() for each in about)
    return Verdict(float(not problems), "; ".join(problems) or NOTHING_WRONG, counts)


def _due(lines: Iterable[tuple[str, bool]]) -> list[str]:
    return [story for story, must in lines if must]


def at_most(ratio: float, limit: float, what: str) -> Verdict:
    """Pass a ratio up to its limit; the value falls in proportion above it."""
    why = f"{what}: {ratio:.2f} of at most {limit:.2f}"
    return Verdict(1.0 if ratio <= limit else limit / ratio, why)


def all_hold(problems: Iterable[str]) -> Verdict:
    """Pass when nobody found a problem; otherwise say every one of them."""
    found = list(problems)
    return Verdict(0.0, "; ".join(found)) if found else Verdict(1.0, NOTHING_WRONG)
