"""Receipts: the node's bytes, there and back."""

from __future__ import annotations

import hashlib
import unittest
from dataclasses import replace

from chain_upgrade import (
    Receipt,
    Report,
    RootChange,
    StoreReceipt,
    UpgradeError,
    decode_receipt,
    encode_receipt,
    receipt_of,
)
from chain_upgrade.wire import message_field, varint

from .guests import SET_A, A, given, load, running

RECEIPT = Receipt(
    plan="v2",
    height=9_007_199_254_740_993,
    handler_sha256="ab" * 32,
    gas=(1 << 64) - 1,
    stores=(
        StoreReceipt("auth", 0, 5, 70_000),
        StoreReceipt("bank", 3, 0, 300, RootChange(b"\1" * 32, b"\2" * 32), "cd" * 32),
    ),
    checks=("supply", "balances"),
)
#: Of the same facts, by receiptBytes of host/upgrade/handler/receipt.ts; test/embed/receipts.test.ts holds the two equal.
OF_THE_NODE = (
    "0a0276321081808080808080101a20abababababababababababababababababababababababababababababababab20012a"
    "056761732d3230ffffffffffffffffff013a0c0a0461757468180520f0a2043a710a0462616e6b100320ac022a2001010101"
    "0101010101010101010101010101010101010101010101010101010132200202020202020202020202020202020202020202"
    "0202020202020202020202023a20cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd42067375"
    "70706c79420862616c616e636573"
)


class Receipts(unittest.TestCase):
    def test_bytes(self) -> None:
        """a receipt → the bytes that the node writes, and back"""
        self.assertEqual(encode_receipt(RECEIPT).hex(), OF_THE_NODE)
        self.assertEqual(decode_receipt(bytes.fromhex(OF_THE_NODE)), RECEIPT)
        negative = replace(RECEIPT, height=-1)
        self.assertEqual(decode_receipt(encode_receipt(negative)), negative)

    def test_of_run(self) -> None:
        """receipt_of a run → its gas, counts and the roots that were given"""
        handler = load(running(SET_A, A))
        report: Report = handler.run(given()).report
        roots = RootChange(b"1" * 32, b"2" * 32)
        receipt = receipt_of(handler, 10, report, {"bank": roots})
        self.assertEqual((receipt.plan, receipt.height, receipt.gas), ("v2", 10, report.gas))
        # One put of "a" under "a", framed as a handler frames its output for store 0.
        writes = hashlib.sha256(b"\1\0\0\0\1\0\0\0aa").hexdigest()
        self.assertEqual(receipt.stores, (StoreReceipt("bank", 1, 0, 2, roots, writes),))
        self.assertEqual(decode_receipt(encode_receipt(receipt)), receipt)

    def test_refused(self) -> None:
        """a receipt that no bytes hold → UPG_INVALID_ARGUMENT"""
        for fields in (
            {"handler_sha256": "ab"},
            {"handler_sha256": "no digits"},
            {"plan": "half \ud800"},
            {"gas": -1},
            {"height": 1 << 63},
            {"stores": (StoreReceipt("bank", roots=RootChange(b"1", b"")),)},
            {"checks": ("c" * 1_048_576,)},
        ):
            with self.subTest(fields), self.assertRaises(UpgradeError) as raised:
                encode_receipt(replace(RECEIPT, **fields))
            self.assertEqual(raised.exception.code, "UPG_INVALID_ARGUMENT")

    def test_malformed(self) -> None:
        """bytes that are no receipt → UPG_STORE_CORRUPT"""
        digest = message_field(7, message_field(7, b"x" * 31))
        for data in (digest, b"\x08\x01", b"\x0a\x05a", message_field(1, b"\xff"), message_field(7, b"\x10"), varint(0)):
            with self.assertRaises(UpgradeError) as raised:
                decode_receipt(data)
            self.assertEqual(raised.exception.code, "UPG_STORE_CORRUPT")


if __name__ == "__main__":
    unittest.main()
