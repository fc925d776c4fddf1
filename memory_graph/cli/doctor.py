"""`doctor`: what works, what is degraded, what is broken, and how to mend it."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict

from memory_graph.cli.checks import (
    Check,
    check_embedder,
    check_model,
    check_packages,
    check_python,
    check_rich,
    check_settings,
    check_store,
)
from memory_graph.cli.exit_codes import FAILED
from memory_graph.cli.opening import settings_of
from memory_graph.cli.presenter import Presenter, Style

_STYLES: dict[str, Style] = {"ok": "good", "degraded": "warning", "broken": "bad"}


async def run(args: Namespace, show: Presenter) -> int:
    """Check everything a turn needs; fail if something is broken."""
    settings = settings_of(args)
    checks = [
        check_python(),
        check_packages(),
        check_settings(settings),
        await check_embedder(settings),
        *await check_store(settings),
        check_model(settings),
        check_rich(),
    ]
    if show.as_json:
        show.data({"status": _worst(checks), "checks": [asdict(check) for check in checks]})
    else:
        _show(show, checks)
    return FAILED if _worst(checks) == "broken" else 0


def _worst(checks: Sequence[Check]) -> str:
    statuses = {check.status for check in checks}
    return next(each for each in ("broken", "degraded", "ok") if each in statuses)


def _show(show: Presenter, checks: Sequence[Check]) -> None:
    for check in checks:
        show.piece(f"{check.status:<9}", _STYLES[check.status])
        show.line(f" {check.name:<9} {check.detail}")
        if check.fix:
            show.line(f"{'':<20} → {check.fix}", "dim")
