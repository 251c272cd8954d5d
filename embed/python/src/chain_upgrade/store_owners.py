"""Which module owns which store around one upgrade.

Guards decide by this table, not by names that modules and stores happen to share: in the Cosmos SDK the store of `auth`
is `acc`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .manifest import StoreRename, StoreUpgrades
from .versions import VersionMap


class StoreOwners:
    """Of the stores before the upgrade's changes to them, and of those that the run is given."""

    def __init__(
        self,
        module_stores: Mapping[str, Sequence[str]],
        stored: VersionMap,
        opened: Collection[str],
        upgrades: StoreUpgrades,
    ) -> None:
        self._module_stores = module_stores
        self._stored = stored
        self._after = set(opened)
        come = {*upgrades.added, *(rename.new_key for rename in upgrades.renamed)}
        gone = {*upgrades.deleted, *(rename.old_key for rename in upgrades.renamed)}
        self._before = (self._after - come) | gone

    def stores_of(self, module: str) -> list[str]:
        """Names of the module's stores, ascending.

        An entry may have the names of a later version: a stored module also owns the store of its own name if that
        existed before the upgrade and none of the entry's stores did.
        """
        entry = self._module_stores.get(module)
        if entry is None:
            return [module] if module in self._before or module in self._after else []
        is_later = bool(entry) and module in self._stored and self._before.isdisjoint(entry)
        return sorted({*entry, module} if is_later and module in self._before else set(entry))

    def owners_of(self, store: str) -> list[str]:
        """Stored modules that own the store, ascending."""
        return [module for module in sorted(self._stored) if store in self.stores_of(module)]

    def losers_of(self, rename: StoreRename) -> list[str]:
        """Stored modules that lose a renamed store. A module that owns the new name loses nothing."""
        return [module for module in self.owners_of(rename.old_key) if rename.new_key not in self.stores_of(module)]

    def is_opened(self, store: str) -> bool:
        return store in self._after

    def needs_store(self, module: str) -> bool:
        """The module had a store before the upgrade, or is new and the table names stores for it."""
        if not self._before.isdisjoint(self.stores_of(module)):
            return True
        return module not in self._stored and bool(self._module_stores.get(module))
