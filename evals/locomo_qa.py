"""LoCoMo: is the answer in what a model is given, and does a reader say it?

Run `python -m evals.locomo_qa --data FILE --output rows.jsonl`; with `--reader NAME` a model
answers and a judge grades it.
"""

from evals.answering.cases import read_locomo
from evals.answering.run import options_of, run

if __name__ == "__main__":
    run(options_of("python -m evals.locomo_qa", __doc__ or ""), read_locomo)
