"""The manifest of a handler: custom section `chain-upgrade.manifest`, JSON (docs/abi.md).

It says which plan the handler serves, what it may touch, and which layouts it takes; nothing else gives it any right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .errors import UpgradeError
from .json_field import JsonField
from .limits import (
    GAS_LIMIT_MAX,
    HANDLER_STORES_MAX,
    JSON_NESTING_MAX,
    MANIFEST_BYTES_MAX,
    MODULE_NAME_BYTES_MAX,
    MODULE_VERSION_MAX,
    SCANS_MAX,
    STORE_PREFIXES_MAX,
)
from .names import name_problem, store_name_problem
from .strict_json import parse_strict_json

MANIFEST_SECTION = "chain-upgrade.manifest"
_HEX = re.compile(r"([0-9a-fA-F]{2})+\Z")


@dataclass(frozen=True)
class ManifestStore:
    """A store that the handler may touch; a guest names it by its index in the manifest."""

    name: str
    #: "r" or "rw".
    access: str
    #: Keys that may be touched begin with one of these; None: every key. None of them begins with another.
    prefixes: tuple[bytes, ...] | None

    @property
    def is_writable(self) -> bool:
        return self.access == "rw"


@dataclass(frozen=True)
class ModuleVersions:
    """The layouts of one module."""

    #: Stored versions that the handler takes; None: the module must not be stored yet.
    taken: tuple[int, ...] | None
    to: int


@dataclass(frozen=True)
class ManifestScan:
    """A part of a store that the host feeds to the handler in batches."""

    store: str
    #: None: the whole store.
    prefix: bytes | None


@dataclass(frozen=True)
class StoreRename:
    """Moves all of a store under another name."""

    old_key: str
    new_key: str


@dataclass(frozen=True)
class StoreUpgrades:
    """What a store loader does before the handler runs."""

    added: tuple[str, ...] = ()
    renamed: tuple[StoreRename, ...] = ()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Allowances:
    """What the handler may do that is a mistake unless it is meant."""

    #: Stores that are deleted or renamed although a module that owns them stays.
    delete_stores: tuple[str, ...] = ()
    #: Vital modules that are removed.
    remove_modules: tuple[str, ...] = ()
    #: Stores that are written to although the version of a module that owns them stays.
    write_stores: tuple[str, ...] = ()
    #: Stores that stay although the module that owns them is removed.
    keep_stores: tuple[str, ...] = ()
    #: It may run where no module versions are stored.
    empty_version_map: bool = False


@dataclass(frozen=True)
class Manifest:
    """What a manifest says; `parse_manifest` makes one."""

    #: The plan's name.
    name: str
    gas_limit: int
    stores: tuple[ManifestStore, ...]
    store_upgrades: StoreUpgrades
    versions: Mapping[str, ModuleVersions]
    #: Modules that leave the version map.
    removes: tuple[str, ...]
    scans: tuple[ManifestScan, ...]
    allows: Allowances
    abi: int = 1


def manifest_refusal(path: str, what: str) -> UpgradeError:
    """UPG_HANDLER_MANIFEST, with the path in the JSON."""
    return UpgradeError("UPG_HANDLER_MANIFEST", f"manifest: {path}: {what}", {"path": path})


def read_manifest(data: bytes) -> Manifest:
    """The fields, each by itself; `manifest_rules` holds what they must be to one another."""
    if len(data) > MANIFEST_BYTES_MAX:
        raise manifest_refusal("$", f"has {len(data)} bytes, at most {MANIFEST_BYTES_MAX} are allowed")
    json = parse_strict_json(data, JSON_NESTING_MAX, manifest_refusal)
    fields = JsonField("$", json, manifest_refusal).object(
        ["abi", "name", "gasLimit", "stores", "versions"], ["storeUpgrades", "removes", "scans", "allows"]
    )
    scans = fields.get("scans")
    return Manifest(
        abi=_read_abi(fields["abi"]),
        name=_read_name(fields["name"]),
        gas_limit=_read_gas_limit(fields["gasLimit"]),
        stores=tuple(_read_store(item) for item in fields["stores"].items(HANDLER_STORES_MAX)),
        store_upgrades=_read_store_upgrades(fields.get("storeUpgrades")),
        versions=MappingProxyType(_read_versions(fields["versions"])),
        removes=_read_names(fields.get("removes")),
        scans=tuple(_read_scan(item) for item in scans.items(SCANS_MAX)) if scans else (),
        allows=_read_allows(fields.get("allows")),
    )


def _read_abi(field: JsonField) -> int:
    abi = field.integer()
    if abi != 1:
        raise field.wrong(f"this host speaks interface 1, not {abi}")
    return abi


def _read_name(field: JsonField) -> str:
    name = field.text()
    problem = name_problem(name, MODULE_NAME_BYTES_MAX)
    if problem:
        raise field.wrong(problem)
    return name


def _read_names(field: JsonField | None) -> tuple[str, ...]:
    return tuple(_read_name(item) for item in field.items()) if field else ()


def _read_store_name(field: JsonField) -> str:
    name = _read_name(field)
    problem = store_name_problem(name)
    if problem:
        raise field.wrong(problem)
    return name


def _read_store_names(field: JsonField | None) -> tuple[str, ...]:
    return tuple(_read_store_name(item) for item in field.items()) if field else ()


def _read_gas_limit(field: JsonField) -> int:
    limit = field.decimal(GAS_LIMIT_MAX)
    if limit == 0:
        raise field.wrong("must be at least 1")
    return limit


def _read_prefix(field: JsonField) -> bytes:
    text = field.text()
    if text == "":
        raise field.wrong("is empty; leave it out to mean every key")
    if not _HEX.match(text):
        raise field.wrong("must be an even number of hex digits")
    return bytes.fromhex(text)


def _read_prefixes(field: JsonField) -> tuple[bytes, ...]:
    prefixes = tuple(_read_prefix(item) for item in field.items(STORE_PREFIXES_MAX))
    if not prefixes:
        raise field.wrong("is empty; leave it out to mean every key")
    return prefixes


def _read_store(field: JsonField) -> ManifestStore:
    fields = field.object(["name", "access"], ["prefixes"])
    access = fields["access"].text()
    if access not in ("r", "rw"):
        raise fields["access"].wrong('must be "r" or "rw"')
    name = _read_store_name(fields["name"])
    prefixes = fields.get("prefixes")
    return ManifestStore(name, access, _read_prefixes(prefixes) if prefixes else None)


def _read_store_upgrades(field: JsonField | None) -> StoreUpgrades:
    if field is None:
        return StoreUpgrades()
    fields = field.object([], ["added", "renamed", "deleted"])
    renamed = fields.get("renamed")
    renames = []
    items = renamed.items() if renamed else []
    added = _read_store_names(fields.get("added"))
    for item in items:
        keys = item.object(["old_key", "new_key"])
        renames.append(StoreRename(_read_store_name(keys["old_key"]), _read_store_name(keys["new_key"])))
    return StoreUpgrades(added, tuple(renames), _read_store_names(fields.get("deleted")))


def _read_versions(field: JsonField) -> dict[str, ModuleVersions]:
    versions = {}
    for module, entry in field.entries():
        problem = name_problem(module, MODULE_NAME_BYTES_MAX)
        if problem:
            raise entry.wrong(f"the module's name {problem}")
        versions[module] = _read_module_versions(entry)
    return versions


def _read_module_versions(field: JsonField) -> ModuleVersions:
    fields = field.object(["to"], ["from"])
    to = _read_version(fields["to"])
    listed = fields.get("from")
    if listed is None:
        return ModuleVersions(None, to)
    taken: dict[int, None] = {}
    for item in listed.items():
        version = _read_version(item)
        if version > to:
            raise item.wrong(f'is above "to" ({to}); a version never goes down')
        if version in taken:
            raise item.wrong("this version is listed twice")
        taken[version] = None
    if not taken:
        raise listed.wrong("is empty; leave it out for a new module")
    return ModuleVersions(tuple(taken), to)


def _read_version(field: JsonField) -> int:
    """A module at the greatest number that can be stored could never be raised again."""
    version = field.u64()
    if version > MODULE_VERSION_MAX:
        raise field.wrong(f"is {version}, a version is at most {MODULE_VERSION_MAX}")
    return version


def _read_allows(field: JsonField | None) -> Allowances:
    if field is None:
        return Allowances()
    lists = ["deleteStores", "removeModules", "writeStores", "keepStores"]
    fields = field.object([], [*lists, "emptyVersionMap"])
    deleted, removed, written, kept = (_read_names(fields.get(name)) for name in lists)
    empty = fields.get("emptyVersionMap")
    return Allowances(deleted, removed, written, kept, empty.boolean() if empty else False)


def _read_scan(field: JsonField) -> ManifestScan:
    fields = field.object(["store"], ["prefix"])
    prefix = fields.get("prefix")
    return ManifestScan(_read_store_name(fields["store"]), _read_prefix(prefix) if prefix else None)
