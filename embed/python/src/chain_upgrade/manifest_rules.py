"""What the fields of a manifest must be to one another, so that it says each thing once and never two things that
cannot both be (docs/abi.md).
"""

from __future__ import annotations

from collections.abc import Callable

from .manifest import Manifest, manifest_refusal, read_manifest
from .strict_json import field_path

_UPGRADE_STORE = "upgrade"


def parse_manifest(data: bytes) -> Manifest:
    """The payload of the custom section. Raises UPG_HANDLER_MANIFEST, with the path in the JSON in ``details``."""
    manifest = read_manifest(data)
    _check_stores(manifest)
    _check_store_upgrades(manifest)
    _check_removes(manifest)
    _check_scans(manifest)
    _check_allows(manifest)
    return manifest


def _check_stores(manifest: Manifest) -> None:
    seen: set[str] = set()
    for index, store in enumerate(manifest.stores):
        path = f"$.stores[{index}]"
        if store.name in seen:
            raise manifest_refusal(f"{path}.name", f'store "{store.name}" is listed twice')
        seen.add(store.name)
        if store.name == _UPGRADE_STORE and store.is_writable:
            what = f'store "{_UPGRADE_STORE}" belongs to the upgrade module; "r" is all there is'
            raise manifest_refusal(f"{path}.access", what)
        prefixes = store.prefixes or ()
        for i, prefix in enumerate(prefixes):
            if any(i != j and prefix.startswith(other) for j, other in enumerate(prefixes)):
                what = "begins with another prefix of this store (or equals it)"
                raise manifest_refusal(f"{path}.prefixes[{i}]", what)


def _check_store_upgrades(manifest: Manifest) -> None:
    upgrades = manifest.store_upgrades
    seen: set[str] = set()

    def once(name: str, path: str) -> None:
        if name == _UPGRADE_STORE:
            raise manifest_refusal(path, f'store "{_UPGRADE_STORE}" belongs to the upgrade module')
        if name in seen:
            raise manifest_refusal(path, f'store "{name}" occurs twice in storeUpgrades')
        seen.add(name)

    for i, name in enumerate(upgrades.added):
        once(name, f"$.storeUpgrades.added[{i}]")
    for i, rename in enumerate(upgrades.renamed):
        once(rename.old_key, f"$.storeUpgrades.renamed[{i}].old_key")
        once(rename.new_key, f"$.storeUpgrades.renamed[{i}].new_key")
    for i, name in enumerate(upgrades.deleted):
        once(name, f"$.storeUpgrades.deleted[{i}]")
    gone = {*upgrades.deleted, *(rename.old_key for rename in upgrades.renamed)}
    for i, store in enumerate(manifest.stores):
        if store.name in gone:
            what = f'storeUpgrades takes store "{store.name}" away before the run'
            raise manifest_refusal(f"$.stores[{i}].name", what)


def _check_removes(manifest: Manifest) -> None:
    seen: set[str] = set()
    for index, module in enumerate(manifest.removes):
        path = f"$.removes[{index}]"
        if module in seen:
            raise manifest_refusal(path, f'module "{module}" is listed twice')
        if module in manifest.versions:
            raise manifest_refusal(path, f'module "{module}" is also listed at {field_path("$.versions", module)}')
        seen.add(module)


def _check_scans(manifest: Manifest) -> None:
    stores = {store.name: store for store in manifest.stores}
    for index, scan in enumerate(manifest.scans):
        path = f"$.scans[{index}]"
        listed = stores.get(scan.store)
        if listed is None:
            raise manifest_refusal(f"{path}.store", f'store "{scan.store}" is not listed in stores')
        if listed.prefixes is None:
            continue
        if scan.prefix is None:
            what = f'needs a prefix: the manifest gives only parts of store "{scan.store}"'
            raise manifest_refusal(path, what)
        if not scan.prefix.startswith(listed.prefixes):
            what = f'lies outside the prefixes that the manifest gives of store "{scan.store}"'
            raise manifest_refusal(f"{path}.prefix", what)


def _check_allows(manifest: Manifest) -> None:
    allows, upgrades = manifest.allows, manifest.store_upgrades
    taken = {*upgrades.deleted, *(rename.old_key for rename in upgrades.renamed)}
    writable = {store.name for store in manifest.stores if store.is_writable}
    writable |= {rename.old_key for rename in upgrades.renamed if rename.new_key in writable}
    rules: list[tuple[str, tuple[str, ...], Callable[[str], bool]]] = [
        ("deleteStores", allows.delete_stores, lambda name: name in taken),
        ("removeModules", allows.remove_modules, lambda name: name in manifest.removes),
        ("writeStores", allows.write_stores, lambda name: name in writable),
        ("keepStores", allows.keep_stores, lambda name: bool(manifest.removes) and name not in taken),
    ]
    for what, names, is_done in rules:
        for index, name in enumerate(names):
            path = f"$.allows.{what}[{index}]"
            if names.index(name) != index:
                raise manifest_refusal(path, f'"{name}" is listed twice')
            if not is_done(name):
                raise manifest_refusal(path, f'allows what the manifest does not do with "{name}"')
