"""A run without its writes: what an upgrade would do to this state, or why it would fail."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .errors import UpgradeError
from .handler import Handler
from .report import Report
from .run import Input


@dataclass(frozen=True)
class Rehearsal:
    """Exactly one of ``report`` and ``error`` is there."""

    report: Report | None
    #: What the handler did wrong: the same on every node, so the upgrade would fail on all of them.
    error: UpgradeError | None
    #: Of this machine.
    seconds: float

    @property
    def ok(self) -> bool:
        return self.error is None


def rehearse(handler: Handler, given: Input) -> Rehearsal:
    """Runs the handler and drops what it wrote.

    Raises what says nothing about the handler: UPG_HANDLER_ENGINE, UPG_STORE_*, UPG_INVALID_*.
    """
    start = time.monotonic()
    try:
        run = handler.run(given)
    except UpgradeError as error:
        if error.code == "UPG_HANDLER_ENGINE" or not error.code.startswith(("UPG_HANDLER_", "UPG_MIGRATION_")):
            raise
        return Rehearsal(None, error, time.monotonic() - start)
    report = run.report
    run.discard()
    return Rehearsal(report, None, time.monotonic() - start)
