"""Hosts of chain-upgrade in Python: core.wasm, and upgrade handlers in a sandbox.

`Core` is the upgrade module of a chain: it decides about plans and keeps their records in a store that you give.
`Handler` is a migration, one .wasm file: `Handler.load` checks it, `Handler.run` runs it over your stores and writes
nothing, and `Run.write` hands its writes on. Every failure is an `UpgradeError` with a stable code, the same that the
TypeScript node reports for it.
"""

from .cancel import Cancel
from .checker import parse_manifest
from .core import UPGRADE_STORE, Core, Decision, DoneUpgrade, bundled_core
from .errors import UpgradeError, code_of
from .gas import GAS_SCHEDULE
from .handler import Handler
from .manifest import Allowances, Manifest, ManifestScan, ManifestStore, ModuleVersions, StoreRename, StoreUpgrades
from .messages import CheckResult
from .plan import ZERO_TIME, ClientState, Plan, PlanFields, Timestamp
from .receipt import Receipt, RootChange, StoreReceipt, decode_receipt, encode_receipt, receipt_of
from .rehearse import Rehearsal, rehearse
from .report import Report, StoreReport
from .run import Input, Run
from .stores import KVStore, MemoryStore
from .versions import VersionMap, decode_versions, encode_names, encode_versions

__version__ = "0.1.0"

__all__ = [
    "GAS_SCHEDULE",
    "UPGRADE_STORE",
    "ZERO_TIME",
    "Allowances",
    "Cancel",
    "CheckResult",
    "ClientState",
    "Core",
    "Decision",
    "DoneUpgrade",
    "Handler",
    "Input",
    "KVStore",
    "Manifest",
    "ManifestScan",
    "ManifestStore",
    "MemoryStore",
    "ModuleVersions",
    "Plan",
    "PlanFields",
    "Receipt",
    "Rehearsal",
    "Report",
    "RootChange",
    "Run",
    "StoreReceipt",
    "StoreRename",
    "StoreReport",
    "StoreUpgrades",
    "Timestamp",
    "UpgradeError",
    "VersionMap",
    "bundled_core",
    "code_of",
    "decode_receipt",
    "decode_versions",
    "encode_names",
    "encode_receipt",
    "encode_versions",
    "parse_manifest",
    "receipt_of",
    "rehearse",
]
