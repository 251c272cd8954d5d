"""The manifest of a handler: custom section `chain-upgrade.manifest`, JSON (docs/abi.md).

It says which plan the handler serves, what it may touch, and which layouts it takes; nothing else gives it any right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MANIFEST_SECTION = "chain-upgrade.manifest"


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
