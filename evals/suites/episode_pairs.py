"""Labelled pairs of episodes, and how well chaining finds those that belong together.

Run `python -m evals.suites.episode_pairs [EMBEDDER]`; `--errors` names the misjudged pairs of the
tuning split.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.harness.runner import CASES, split_of
from memory_graph.background import run_sync
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.episodes.offline_summary import summarise
from memory_graph.episodes.signals import read_outcomes
from memory_graph.episodes.themes import ThemeMatch, match_themes, theme_of_episode
from memory_graph.policies import CapturePolicy
from memory_graph.records import EpisodeDraft, Said

PAIRS = CASES / "episode_pairs.jsonl"
MIN_PRECISION, MIN_RECALL = 0.9, 0.7


@dataclass(frozen=True)
class Judged:
    """A labelled pair of exchanges and how alike their themes are."""

    case_id: str
    label: str
    match: ThemeMatch

    @property
    def chains(self) -> bool:
        """Whether the later would name the earlier as its parent."""
        return self.match.similarity > CapturePolicy().parent_similarity


def measure(embedder: Embedder) -> list[Judged]:
    """Judge every pair as the graph does offline: by the drafts it would write."""
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    return [_judge(json.loads(line), embedder) for line in lines]


def score(judged: Iterable[Judged]) -> tuple[float, float]:
    """Return precision and recall of `continues`."""
    pairs = [(each.label == "continues", each.chains) for each in judged]
    right = pairs.count((True, True))
    chained = right + pairs.count((False, True))
    return (right / chained if chained else 1.0), right / (right + pairs.count((True, False)))


def _judge(row: dict[str, str], embedder: Embedder) -> Judged:
    drafts = run_sync(lambda: _drafts(row["earlier"], row["later"]))
    texts = [f"{draft.topic}. {draft.summary}" for draft in drafts]
    one, other = embedder.embed_sync(texts)
    meaning = embedder.scale.similarity(sum(x * y for x, y in zip(one, other, strict=True)))
    match = match_themes(*map(theme_of_episode, drafts), meaning)
    return Judged(row["id"], row["label"], match)


async def _drafts(*texts: str) -> list[EpisodeDraft]:
    read = [await read_outcomes([Said(role="user", text=text)]) for text in texts]
    return [summarise(outcomes) for outcomes in read]


def main(arguments: Sequence[str]) -> int:
    """Print the scores of both splits; fail if the held-back one is below the promise."""
    names = [each for each in arguments if not each.startswith("--")] or ["use"]
    judged = measure(load_embedder(names[0]))
    for split in ("tune", "check"):
        part = [each for each in judged if split_of(each.case_id) == split]
        precision, recall = score(part)
        print(f"{split:5}  {len(part):3} pairs  precision {precision:.3f}  recall {recall:.3f}")
        if split == "tune" and "--errors" in arguments:
            wrong = [each for each in part if each.chains != (each.label == "continues")]
            for each in wrong:
                print(f"  {each.case_id}: {each.match.similarity:.2f} {each.match.parts}")
    return 0 if precision >= MIN_PRECISION and recall >= MIN_RECALL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
