"""What an upgrade must not do by accident: the mistakes that have hurt chains, refused before anything is written.

The handler can declare each of them (``allows`` of its manifest), so that people who approve it read it first. The one
exception is a module that stays without its stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from .errors import UpgradeError
from .manifest import Manifest, ModuleVersions
from .overlay import Overlay
from .store_owners import StoreOwners
from .versions import VersionMap, same_versions_problem


def _refuse(what: str) -> UpgradeError:
    return UpgradeError("UPG_MIGRATION_VERSION_MAP", what)


def require_layout(manifest: Manifest, stored: VersionMap) -> None:
    """A module with ``from`` must be stored at one of these versions, one without must not be stored.

    Raises UPG_HANDLER_LAYOUT, which names every module that does not fit.
    """
    problems = []
    for module, versions in manifest.versions.items():
        problem = _layout_problem(versions, stored.get(module))
        if problem:
            problems.append(f"{module} {problem}")
    if problems:
        what = f'the handler of plan "{manifest.name}" does not take the stored versions: {"; ".join(problems)}'
        raise UpgradeError("UPG_HANDLER_LAYOUT", what, {"plan": manifest.name})


def _layout_problem(versions: ModuleVersions, stored: int | None) -> str | None:
    if versions.taken is None:
        return None if stored is None else f"is stored at {stored}, the handler brings it as new"
    taken = " or ".join(map(str, versions.taken))
    if stored is None:
        return f"is not stored, the handler takes {taken}"
    return None if stored in versions.taken else f"is stored at {stored}, the handler takes {taken}"


class Guards:
    """The rules for one run, by the table of stores (docs/abi.md has them, and their order)."""

    def __init__(
        self,
        manifest: Manifest,
        stored: VersionMap,
        stores: Mapping[str, Overlay],
        module_stores: Mapping[str, Sequence[str]],
        vital_modules: Sequence[str],
    ) -> None:
        self._manifest = manifest
        self._stored = stored
        self._stores = stores
        self._vital_modules = vital_modules
        self._who = f'handler "{manifest.name}"'
        self._owners = StoreOwners(module_stores, stored, stores, manifest.store_upgrades)

    def before(self) -> None:
        """Before the handler runs. Raises UPG_MIGRATION_VERSION_MAP with what to do."""
        if not self._stored and not self._manifest.allows.empty_version_map:
            raise _refuse(
                f"the stored version map is empty, so {self._who} cannot know what is there and modules would begin "
                "again over their data: store the modules' versions at genesis, or declare allows.emptyVersionMap"
            )
        self._require_not_taken()
        self._require_vital()
        self._require_not_kept()
        self._require_no_data()

    def after(self, versions: VersionMap) -> None:
        """After it ran, while its writes are in branches. Raises UPG_MIGRATION_VERSION_MAP."""
        self._require_stores(versions)
        self._require_new_versions(versions)

    def _require_not_taken(self) -> None:
        """Deleting or renaming a store takes it away from a module that stays."""
        upgrades = self._manifest.store_upgrades
        for store in upgrades.deleted:
            self._require_allowed_loss(store, self._owners.owners_of(store), f'deletes the store "{store}"')
        for rename in upgrades.renamed:
            old, new = rename.old_key, rename.new_key
            does = f'takes the store "{old}" away from the module "{{module}}" (renames it to "{new}")'
            self._require_allowed_loss(old, self._owners.losers_of(rename), does)

    def _require_allowed_loss(self, store: str, losers: Sequence[str], does: str) -> None:
        for module in losers:
            if module in self._manifest.removes or store in self._manifest.allows.delete_stores:
                continue
            raise _refuse(
                f'{self._who} {does.replace("{module}", module)}, and the module "{module}" stays: remove the module as '
                f'well, or declare allows.deleteStores ["{store}"]'
            )

    def _require_vital(self) -> None:
        for module in sorted(self._vital_modules):
            if module in self._manifest.removes and module not in self._manifest.allows.remove_modules:
                raise _refuse(
                    f'{self._who} removes the module "{module}", without which the chain cannot go on: keep it, or '
                    f'declare allows.removeModules ["{module}"]'
                )

    def _require_not_kept(self) -> None:
        """A removed module takes its stores with it: a later module of that name would begin over what is left."""
        removes = self._manifest.removes
        for module in removes:
            for store in self._owners.stores_of(module) if module in self._stored else ():
                is_shared = any(owner not in removes for owner in self._owners.owners_of(store))
                if not self._owners.is_opened(store) or is_shared or store in self._manifest.allows.keep_stores:
                    continue
                raise _refuse(
                    f'{self._who} removes the module "{module}" and keeps its store "{store}": delete the store as '
                    f'well, or declare allows.keepStores ["{store}"]'
                )

    def _require_no_data(self) -> None:
        """A module that the manifest brings as new begins with empty stores."""
        for module, versions in sorted(self._manifest.versions.items()):
            if versions.taken is not None or module in self._stored:
                continue
            for store in self._owners.stores_of(module):
                if store in self._stores and _has_pairs(self._stores[store]):
                    raise _refuse(
                        f'{self._who} brings the module "{module}" as new, and its store "{store}" has data: it would '
                        "begin again over them. If the module was there before, its version is missing in the stored "
                        "version map; if not, delete the store in an upgrade before"
                    )

    def _require_stores(self, versions: VersionMap) -> None:
        """A module of the version map has a store to run over."""
        for module in sorted(versions):
            stores = self._owners.stores_of(module)
            if not self._owners.needs_store(module) or any(map(self._owners.is_opened, stores)):
                continue
            which = ", ".join(f'"{store}"' for store in stores)
            raise _refuse(
                f'after {self._who} the module "{module}" is in the version map and has no store ({which}): it would '
                "stop running. Keep its store, or remove the module"
            )

    def _require_new_versions(self, versions: VersionMap) -> None:
        """The owners of a written store have another version; a renamed store is also that of its old owner."""
        for store in sorted(name for name, overlay in self._stores.items() if overlay.has_writes):
            self._require_new_version(store, self._owners.owners_of(store), versions)
            for rename in self._manifest.store_upgrades.renamed:
                if rename.new_key == store:
                    self._require_new_version(rename.old_key, self._owners.losers_of(rename), versions)

    def _require_new_version(self, store: str, modules: Sequence[str], versions: VersionMap) -> None:
        for module in modules:
            if versions.get(module) != self._stored[module] or store in self._manifest.allows.write_stores:
                continue
            raise _refuse(
                f'{self._who} writes to the store "{store}" of the module "{module}", whose version stays '
                f"{self._stored[module]}: raise the version, so that every program knows which layout it reads, or "
                f'declare allows.writeStores ["{store}"] when the layout is the same'
            )


def _has_pairs(store: Overlay) -> bool:
    with closing(store.walk(None, None)) as walk:
        return next(walk.pairs, None) is not None


def declared_versions(manifest: Manifest, stored: VersionMap, returned: VersionMap | None) -> dict[str, int]:
    """The stored map with the manifest's ``to`` set and its ``removes`` gone; a map that is returned must equal it."""
    declared = dict(stored)
    for module, versions in manifest.versions.items():
        declared[module] = versions.to
    for module in manifest.removes:
        declared.pop(module, None)
    problem = None if returned is None else same_versions_problem(declared, returned)
    if problem:
        raise _refuse(f'handler "{manifest.name}" returned another version map than its manifest declares: {problem}')
    return dict(sorted(declared.items()))
