"""handler-cases.json: runs of handlers, good and bad, and files that are refused, as the node has them."""

from __future__ import annotations

import unittest

from chain_upgrade import Handler, UpgradeError

from . import vectors
from .handler_case import Cases

#: What a case gives.
NOT_COMPARED = ("label", "guest", "input", "gas_limit", "batch_bytes", "module_stores", "vital_modules")


@unittest.skipUnless(vectors.has("handler-cases"), "test/vectors/handler-cases.json.gz is absent")
class HandlerCases(unittest.TestCase):
    def test_cases(self) -> None:
        """each case → the same code, gas, counts, writes, pairs, roots, checks, versions, lines as the node's"""
        file = vectors.read("handler-cases")
        cases = Cases(file)
        count = 0
        for case in file["cases"][:: vectors.STRIDE]:
            if "input" not in case:
                # check.wasm is a meter.
                due = None if case.get("without_meter") else case["error"]
                self.assertEqual(_refusal(cases.file(case["guest"])), due, case["label"])
            else:
                outcome = {key: value for key, value in case.items() if key not in NOT_COMPARED}
                self.assertEqual(cases.run(case), outcome, case["label"])
            count += 1
        self.assertGreater(count, 0)
        print(f"handler-cases: {count} as the node's")

    def test_refused_by_meter(self) -> None:
        """files that only a host with a meter can refuse → refused"""
        file = vectors.read("handler-cases")
        cases = Cases(file)
        self.assertTrue(file["refused_by_meter"])
        for case in file["refused_by_meter"]:
            self.assertEqual(_refusal(cases.file(case["guest"])), case["error"], case["label"])


def _refusal(file: bytes) -> str | None:
    """The code that loading fails with; None: it does not."""
    try:
        Handler.load(file)
        return None
    except UpgradeError as error:
        return error.code
