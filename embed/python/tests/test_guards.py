"""The guards by a table of stores; the vectors have a case for each rule, and for what it lets through."""

from __future__ import annotations

import unittest
from typing import Any

from chain_upgrade import MemoryStore, UpgradeError
from chain_upgrade.manifest import StoreRename, StoreUpgrades
from chain_upgrade.store_owners import StoreOwners

from .guests import IDLE, SET_A, A, given, load, manifest, running

SDK = {"auth": ["acc"], "ica": ["icahost", "icacontroller"]}
#: Changes nothing of bank's version.
NOTHING: dict[str, Any] = {"versions": {}, "stores": []}


class Owners(unittest.TestCase):
    def owners(
        self, opened: list[str], upgrades: StoreUpgrades, table: dict[str, list[str]] | None = None
    ) -> StoreOwners:
        return StoreOwners(table or SDK, {"auth": 1, "bank": 1, "ica": 1}, opened, upgrades)

    def test_stores_of(self) -> None:
        """a module with an entry → those; without → the store of its own name, if it exists before or after"""
        owners = self.owners(["acc", "bank", "icahost"], StoreUpgrades(deleted=("gone",)))
        self.assertEqual(owners.stores_of("ica"), ["icacontroller", "icahost"])
        self.assertEqual([owners.stores_of(name) for name in ("bank", "gone", "absent")], [["bank"], ["gone"], []])
        self.assertEqual((owners.owners_of("acc"), owners.owners_of("auth")), (["auth"], []))

    def test_later_names(self) -> None:
        """an entry with names of a later version → the stored module owns the store of its own name too"""
        renamed = StoreUpgrades(renamed=(StoreRename("bank", "coins"),))
        owners = self.owners(["acc", "coins"], renamed, {"bank": ["coins"]})
        self.assertEqual(owners.stores_of("bank"), ["bank", "coins"])
        self.assertEqual((owners.owners_of("bank"), owners.losers_of(renamed.renamed[0])), (["bank"], []))


class Runs(unittest.TestCase):
    def refused(self, words: str, declared: dict[str, Any], **fields: Any) -> None:
        handler = load(fields.pop("body", IDLE), manifest(**{**NOTHING, **declared}))
        with self.assertRaises(UpgradeError) as raised:
            handler.run(given(**fields))
        self.assertEqual((raised.exception.code, raised.exception.details), ("UPG_MIGRATION_VERSION_MAP", {}))
        self.assertIn(words, str(raised.exception))
        handler.run(given(**fields, guards=False))

    def test_by_table(self) -> None:
        """a store whose module has another name is taken, kept, or stays empty-handed → refused by the module's name"""
        acc: dict[str, Any] = {"stores": {"bank": MemoryStore(), "acc": MemoryStore()}, "module_stores": SDK}
        versions = {"auth": 1, "bank": 1}
        deletes = {"storeUpgrades": {"deleted": ["acc"]}}
        self.refused('deletes the store "acc", and the module "auth"', deletes, versions=versions, module_stores=SDK)
        renames = {"storeUpgrades": {"renamed": [{"old_key": "acc", "new_key": "accounts"}]}}
        self.refused('takes the store "acc" away from', renames, versions=versions, module_stores=SDK)
        removes = {"removes": ["auth"]}
        self.refused('keeps its store "acc"', removes, versions=versions, **acc)
        self.refused('removes the module "bank", without', {"removes": ["bank"]}, vital_modules=["bank"])
        lost = {**deletes, "allows": {"deleteStores": ["acc"]}}
        self.refused('has no store ("acc")', lost, versions=versions, module_stores=SDK)
        kept = manifest(**NOTHING, **removes, allows={"keepStores": ["acc"]})
        self.assertEqual(load(IDLE, kept).run(given(versions=versions, **acc)).report.versions, {"bank": 1})

    def test_writes(self) -> None:
        """a write to a store of a module of another name, whose version stays → refused by both names"""
        declared = {"stores": [{"name": "bank", "access": "rw"}]}
        table = {"coins": ["bank"]}
        body = running(SET_A, A)
        words = 'the store "bank" of the module "coins", whose version stays 3'
        self.refused(words, declared, versions={"coins": 3}, module_stores=table, body=body)


if __name__ == "__main__":
    unittest.main()
