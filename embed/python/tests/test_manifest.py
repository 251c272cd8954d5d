"""Manifests: what is taken, and each rule that refuses one, with the path in the JSON."""

from __future__ import annotations

import json
import unittest
from typing import Any

from chain_upgrade import UpgradeError, parse_manifest

from .guests import manifest

FULL = manifest(
    stores=[{"name": "auth", "access": "rw", "prefixes": ["01", "02ff"]}, {"name": "upgrade", "access": "r"}],
    storeUpgrades={"added": ["bank"], "renamed": [{"old_key": "a", "new_key": "b"}], "deleted": ["c"]},
    versions={"auth": {"from": [1, "2"], "to": "4294967295"}, "new": {"to": 1}},
    removes=["old"],
    scans=[{"store": "auth", "prefix": "0102"}, {"store": "upgrade"}],
    allows={"deleteStores": ["c"], "removeModules": ["old"], "writeStores": ["auth"], "emptyVersionMap": True},
)


def stores(*entries: dict[str, Any]) -> dict[str, Any]:
    return manifest(stores=list(entries))


RW = {"name": "bank", "access": "rw"}
RENAME = {"renamed": [{"old_key": "old", "new_key": "new"}]}
#: Path, and the manifest that is refused there.
REFUSED: list[tuple[str, Any]] = [
    ("$", []),
    ("$.versions.bank.to", manifest(versions={"bank": {"to": 1 << 32}})),
    ("$.versions.bank.from[0]", manifest(versions={"bank": {"from": [1 << 32], "to": 1}})),
    ("$.allows.keepStores[0]", manifest(allows={"keepStores": ["bank"]})),
    ("$.allows.keepStores[0]", manifest(removes=["x"], storeUpgrades=RENAME, allows={"keepStores": ["old"]})),
    ("$.allows.keepStores[1]", manifest(removes=["x"], allows={"keepStores": ["x", "x"]})),
    ("$.allows.deleteStores[0]", manifest(storeUpgrades=RENAME, allows={"deleteStores": ["new"]})),
    ("$.abi", manifest(abi=2)),
    ("$.abi", manifest(abi=-1)),
    ("$.abi", manifest(abi=True)),
    ("$.name", manifest(name="")),
    ("$.name", manifest(name="a\u0085")),
    ("$.name", manifest(name="é" * 71)),
    ("$.name", {key: value for key, value in manifest().items() if key != "name"}),
    ("$.extra", manifest(extra=1)),
    ('$["a b"]', manifest(**{"a b": 1})),
    ("$.gasLimit", manifest(gasLimit=1)),
    ("$.gasLimit", manifest(gasLimit="0")),
    ("$.gasLimit", manifest(gasLimit="01")),
    ("$.gasLimit", manifest(gasLimit="١")),
    ("$.gasLimit", manifest(gasLimit="1\n")),
    ("$.gasLimit", manifest(gasLimit="1000000000001")),
    ("$.stores", stores(*({"name": f"s{i}", "access": "r"} for i in range(65)))),
    ("$.stores[1].name", stores(RW, RW)),
    ("$.stores[0].name", stores({"name": "a/../b", "access": "r"})),
    ("$.stores[0].name", stores({"name": "Bank", "access": "r"})),
    ("$.stores[0].name", stores({"name": "bank\n", "access": "r"})),
    ("$.stores[0].name", stores({"name": "b" * 129, "access": "r"})),
    ("$.stores[0].access", stores({"name": "bank", "access": "w"})),
    ("$.stores[0].access", stores({"name": "upgrade", "access": "rw"})),
    ("$.stores[0].prefixes", stores({**RW, "prefixes": []})),
    ("$.stores[0].prefixes", stores({**RW, "prefixes": None})),
    ("$.stores[0].prefixes", stores({**RW, "prefixes": [f"{i:02x}" for i in range(65)]})),
    ("$.stores[0].prefixes[0]", stores({**RW, "prefixes": [""]})),
    ("$.stores[0].prefixes[0]", stores({**RW, "prefixes": ["0"]})),
    ("$.stores[0].prefixes[0]", stores({**RW, "prefixes": ["01", "01"]})),
    ("$.stores[0].prefixes[1]", stores({**RW, "prefixes": ["01", "0102"]})),
    ("$.storeUpgrades.added[0]", manifest(storeUpgrades={"added": ["upgrade"]})),
    ("$.storeUpgrades.deleted[0]", manifest(storeUpgrades={"added": ["a"], "deleted": ["a"]})),
    ("$.storeUpgrades.renamed[0].new_key", manifest(storeUpgrades={"renamed": [{"old_key": "a", "new_key": "a"}]})),
    ("$.stores[0].name", manifest(storeUpgrades={"deleted": ["bank"]})),
    ("$.versions.bank.from[0]", manifest(versions={"bank": {"from": [3], "to": 2}})),
    ("$.versions.bank.from[1]", manifest(versions={"bank": {"from": [1, "1"], "to": 2}})),
    ("$.versions.bank.from", manifest(versions={"bank": {"from": [], "to": 2}})),
    ("$.versions.bank.to", manifest(versions={"bank": {"to": "18446744073709551616"}})),
    ("$.versions.bank.to", manifest(versions={"bank": {"to": None}})),
    ('$.versions[""]', manifest(versions={"": {"to": 1}})),
    ("$.removes[0]", manifest(removes=["bank"])),
    ("$.removes[1]", manifest(removes=["a", "a"])),
    ("$.scans", manifest(scans=[{"store": "bank"}] * 65)),
    ("$.scans[0].store", manifest(scans=[{"store": "auth"}])),
    ("$.scans[0]", {**stores({**RW, "prefixes": ["01"]}), "scans": [{"store": "bank"}]}),
    ("$.scans[0].prefix", {**stores({**RW, "prefixes": ["0102"]}), "scans": [{"store": "bank", "prefix": "01"}]}),
    ("$.allows.deleteStores[0]", manifest(allows={"deleteStores": ["bank"]})),
    ("$.allows.writeStores[1]", manifest(allows={"writeStores": ["bank", "bank"]})),
    ("$.allows.emptyVersionMap", manifest(allows={"emptyVersionMap": 1})),
]

#: Texts that are no strict JSON.
MALFORMED = [
    b"",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b"{} {}",
    b'{"abi":1,"abi":1}',
    b'{"abi":1,"\\u0061bi":1}',
    b'{"abi":1.0}',
    b'{"abi":1e0}',
    b'{"abi":01}',
    b'{"abi":-0}',
    b'{"abi":NaN}',
    b'{"abi":1,}',
    b"{abi:1}",
    b"[1,]",
    b'{"name":"\n"}',
    b'{"name":"\\x"}',
    b'{"name":"\\u12"}',
    b'{"name":"\\ud800"}',
    b'{"name":"',
    b"[" * 17 + b"]" * 17,
    b"1" * 21,
    b" " * 16_385,
]


class Manifests(unittest.TestCase):
    def test_full(self) -> None:
        """a manifest with every field → all of it"""
        parsed = parse_manifest(json.dumps(FULL).encode())
        self.assertEqual(parsed.stores[0].prefixes, (b"\x01", b"\x02\xff"))
        self.assertEqual(parsed.store_upgrades.renamed[0].new_key, "b")
        self.assertEqual((parsed.versions["auth"].taken, parsed.versions["auth"].to), ((1, 2), (1 << 32) - 1))
        self.assertIsNone(parsed.versions["new"].taken)
        self.assertEqual((parsed.scans[0].prefix, parsed.scans[1].prefix), (b"\x01\x02", None))
        self.assertTrue(parsed.allows.empty_version_map)

    def test_refused(self) -> None:
        """a manifest that breaks one rule → UPG_HANDLER_MANIFEST with the path"""
        for path, text in REFUSED:
            with self.subTest(path, manifest=text), self.assertRaises(UpgradeError) as raised:
                parse_manifest(json.dumps(text).encode())
            self.assertEqual((raised.exception.code, raised.exception.details["path"]), ("UPG_HANDLER_MANIFEST", path))

    def test_malformed(self) -> None:
        """what is no strict JSON → UPG_HANDLER_MANIFEST"""
        for text in MALFORMED:
            with self.subTest(text[:30]), self.assertRaises(UpgradeError) as raised:
                parse_manifest(text)
            self.assertEqual(raised.exception.code, "UPG_HANDLER_MANIFEST")

    def test_surrogates(self) -> None:
        """two escapes of one character → that character"""
        text = json.dumps(manifest(name="\U0001f600"))
        self.assertIn("\\ud83d", text)
        self.assertEqual(parse_manifest(text.encode()).name, "\U0001f600")


if __name__ == "__main__":
    unittest.main()
