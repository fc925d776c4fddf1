"""`validate`: is every record readable, and does every link lead somewhere?"""

from argparse import Namespace

from memory_graph.cli.exit_codes import FAILED
from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.telling import count
from memory_graph.steps.validate import ValidationReport, validate_memory


async def run(args: Namespace, show: Presenter) -> int:
    """Print what is wrong with a user's memory; fail if anything is."""
    async with open_user(args) as memory:
        report = await validate_memory(memory)
    if show.as_json:
        show.data(_as_json(report))
    else:
        _show(show, report)
    return 0 if report.is_sound else FAILED


def _show(show: Presenter, report: ValidationReport) -> None:
    rows = [(kind, str(each.total), str(each.valid)) for kind, each in report.totals.items()]
    show.table("Records", ("kind", "total", "readable"), rows)
    problems = [(each.kind, each.record_id, each.reason, each.detail) for each in report.problems]
    show.table("Problems", ("kind", "id", "reason", "detail"), problems)
    state = "Nothing is broken" if report.is_sound else "Something is broken"
    show.line(f"{state}; {count(report.links, 'relation')} followed.")


def _as_json(report: ValidationReport) -> dict[str, object]:
    return {
        "sound": report.is_sound,
        "totals": {
            kind: {"total": each.total, "valid": each.valid} for kind, each in report.totals.items()
        },
        "relations": report.links,
        "problems": [
            {"kind": p.kind, "id": p.record_id, "reason": p.reason, "detail": p.detail}
            for p in report.problems
        ],
    }
