"""handler-cases.json: runs of handlers, good and bad, and files that are refused, as the node has them."""

from __future__ import annotations

import unittest
from typing import Any

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
                with self.assertRaises(UpgradeError, msg=case["label"]) as raised:
                    Handler.load(cases.file(case["guest"]))
                self.assertIn(raised.exception.code, self._codes(case), case["label"])
            else:
                due = {key: value for key, value in case.items() if key not in NOT_COMPARED}
                self.assertEqual(cases.run(case), due, case["label"])
            count += 1
        self.assertGreater(count, 0)
        print(f"handler-cases: {count} as the node's")

    def _codes(self, case: dict[str, Any]) -> tuple[str, ...]:
        """What only a decoder of every instruction finds out has no metered module, or is none of the engine's."""
        if case["error"] in ("UPG_HANDLER_OPCODE", "UPG_HANDLER_LIMIT", "UPG_HANDLER_MEMORY"):
            return (case["error"], "UPG_HANDLER_METERED", "UPG_HANDLER_FORMAT")
        return (case["error"],)
