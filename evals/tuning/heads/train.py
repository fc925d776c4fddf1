"""Fit the heads on the open cases, choose their operating points and write both as data.

Run `python -m evals.tuning.heads.train`: no sampling, a fixed start, about two minutes. The points
are chosen on messages that the model which scored them had not seen.
"""

import json
from collections.abc import Sequence

import numpy as np

from evals.tuning.heads.cases import EMBEDDER, Case, embed, fingerprint, load_cases
from evals.tuning.heads.fitting import Model, Vectors, fit_heads
from evals.tuning.heads.measure import Calibration, calibrate, judge, leave_out_blocks
from evals.tuning.heads.points import USES, choose_points, measure_point
from memory_graph.language.heads import GRAM_PLACES, HEADS, WEIGHTS
from memory_graph.language.points import POINTS

COMMAND = "python -m evals.tuning.heads.train"


def vectors_of(cases: Sequence[Case]) -> Vectors:
    """Return the vectors of messages and of their sentences."""
    return embed(text for case in cases for text in (case.text, *case.sentences))


def write_weights(model: Model, calibration: Calibration) -> None:
    """Write the weights as half floats."""
    columns = np.column_stack([model.weights[head] for head in HEADS]).astype(np.float16)
    lines = np.array([calibration[head] for head in HEADS], dtype=np.float32)
    WEIGHTS.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        WEIGHTS,
        directions=model.directions.astype(np.float16),
        dense=columns[:-GRAM_PLACES],
        grams=columns[-GRAM_PLACES:],
        slope=lines[:, 0],
        shift=lines[:, 1],
    )


def main() -> None:
    """Fit, choose and write."""
    cases = [case for case in load_cases() if case.split == "open"]
    vectors = vectors_of(cases)
    left_out = leave_out_blocks(cases, vectors)
    calibration = calibrate(left_out)
    judged = judge(left_out, calibration)
    points = choose_points(judged)
    write_weights(fit_heads(cases, vectors), calibration)
    record = {
        "command": COMMAND,
        "embedder": EMBEDDER,
        "cases_sha256": fingerprint(),
        "points": {
            name: {"at": at, "on": USES[name].on, "left_out": measure_point(name, at, judged)}
            for name, at in points.items()
        },
    }
    record["by_hand"] = json.loads(POINTS.read_text(encoding="utf-8"))["by_hand"]
    POINTS.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(record["points"], indent=2))


if __name__ == "__main__":
    main()
