"""LongMemEval: is the answer in what a model is given, and does a reader say it?

Run `python -m evals.longmemeval --data FILE --output rows.jsonl`; with `--reader NAME` a model
answers and a judge grades it.
"""

from evals.answering.cases import read_longmemeval
from evals.answering.run import options_of, run

if __name__ == "__main__":
    run(options_of("python -m evals.longmemeval", __doc__ or ""), read_longmemeval)
