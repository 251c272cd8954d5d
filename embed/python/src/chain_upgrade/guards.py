"""What an upgrade must not do by accident: the mistakes that have hurt chains, refused before anything is written.

Each can be declared by the handler (``allows`` of its manifest), so that people who approve it read it first.
"""

from __future__ import annotations

from collections.abc import Mapping

from .errors import UpgradeError
from .manifest import Manifest, ModuleVersions
from .overlay import Overlay
from .versions import VersionMap, same_versions_problem

#: Modules without which a chain can never be upgraded again.
_VITAL_MODULES = ("gov", "upgrade")


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


def guard_before(manifest: Manifest, stored: VersionMap, stores: Mapping[str, Overlay]) -> None:
    """Before the handler runs. Raises UPG_MIGRATION_VERSION_MAP with what to do."""
    allows = manifest.allows
    who = f'handler "{manifest.name}"'
    if not stored and not allows.empty_version_map:
        raise _refuse(
            f"the stored version map is empty, so {who} cannot know what is there and modules would begin again over "
            "their data: store the modules' versions at genesis, or declare allows.emptyVersionMap"
        )
    for store in manifest.store_upgrades.deleted:
        if store in stored and store not in manifest.removes and store not in allows.delete_stores:
            raise _refuse(
                f'{who} deletes the store "{store}", and the module "{store}" stays: remove the module as well, or '
                f'declare allows.deleteStores ["{store}"]'
            )
    for module in _VITAL_MODULES:
        if module in manifest.removes and module not in allows.remove_modules:
            raise _refuse(
                f'{who} removes the module "{module}", without which the chain can never be upgraded again: keep it, '
                f'or declare allows.removeModules ["{module}"]'
            )
    for module, versions in manifest.versions.items():
        if versions.taken is None and module not in stored:
            _require_no_data(module, stores, who)


def _require_no_data(module: str, stores: Mapping[str, Overlay], who: str) -> None:
    """A module that the manifest brings as new begins with an empty store."""
    if module not in stores:
        return
    for _ in stores[module].iterate(None, None):
        raise _refuse(
            f'{who} brings the module "{module}" as new, and its store has data: it would begin again over them. '
            "If the module was there before, its version is missing in the stored version map; if not, delete the "
            "store in an upgrade before"
        )


def guard_after(manifest: Manifest, before: VersionMap, after: VersionMap, stores: Mapping[str, Overlay]) -> None:
    """After it ran, while its writes are in branches. Raises UPG_MIGRATION_VERSION_MAP."""
    for name in sorted(stores):
        if not stores[name].has_writes or name in manifest.allows.write_stores:
            continue
        if name in before and after.get(name) == before[name]:
            raise _refuse(
                f'handler "{manifest.name}" writes to the store of the module "{name}", whose version stays '
                f"{before[name]}: raise the version, so that every program knows which layout it reads, or declare "
                f'allows.writeStores ["{name}"] when the layout is the same'
            )


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
