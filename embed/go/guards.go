package upgrade

import "slices"

// What an upgrade must not do by accident: the mistakes that have hurt chains, refused unless the manifest declares them
// in `allows`, so that people who approve it read it first. All fail with UPG_MIGRATION_VERSION_MAP.

// Modules without which a chain can never be upgraded again.
var vitalModules = []string{"gov", "upgrade"}

func guard(format string, args ...any) error {
	return newError(CodeMigrationVersionMap, format, args...)
}

// guardBefore the handler runs.
func (manifest *Manifest) guardBefore(input *Input) error {
	name, allows := manifest.Name, manifest.Allows
	if len(input.Versions) == 0 && !allows.EmptyVersionMap {
		return guard(`the stored version map is empty, so handler "%s" cannot know what is there and modules would begin again `+
			"over their data: store the modules' versions at genesis, or declare allows.emptyVersionMap", name)
	}
	for _, store := range manifest.StoreUpgrades.Deleted {
		_, stays := input.Versions[store]
		if stays && !slices.Contains(manifest.Removes, store) && !slices.Contains(allows.DeleteStores, store) {
			return guard(`handler "%s" deletes the store "%s", and the module "%s" stays: remove the module as well, or declare `+
				`allows.deleteStores ["%s"]`, name, store, store, store)
		}
	}
	for _, module := range vitalModules {
		if slices.Contains(manifest.Removes, module) && !slices.Contains(allows.RemoveModules, module) {
			return guard(`handler "%s" removes the module "%s", without which the chain can never be upgraded again: keep it, or `+
				`declare allows.removeModules ["%s"]`, name, module, module)
		}
	}
	return manifest.guardNew(input)
}

// guardNew: a module that the manifest brings as new begins with an empty store.
func (manifest *Manifest) guardNew(input *Input) error {
	for module, versions := range manifest.Versions {
		_, isStored := input.Versions[module]
		store := input.Stores[module]
		if versions.From != nil || isStored || store == nil {
			continue
		}
		hasData, err := hasPairs(module, store)
		if err != nil {
			return err
		}
		if hasData {
			return guard(`handler "%s" brings the module "%s" as new, and its store has data: it would begin again over them. If the `+
				"module was there before, its version is missing in the stored version map; if not, delete the store in an upgrade before",
				manifest.Name, module)
		}
	}
	return nil
}

func hasPairs(name string, store KVStore) (has bool, err error) {
	pairs, err := iterate(name, store, nil, nil)
	if err != nil {
		return false, err
	}
	defer pairs.closeInto(&err)
	return pairs.next()
}

// guardAfter it ran: a store that was written to has a module whose version changed.
func (manifest *Manifest) guardAfter(before, after VersionMap, handles *storeHandles) error {
	for _, handle := range handles.sorted() {
		version, isModule := before[handle.Name]
		if handle.overlay.writes.IsEmpty() || !isModule || slices.Contains(manifest.Allows.WriteStores, handle.Name) {
			continue
		}
		if now, stays := after[handle.Name]; stays && now == version {
			return guard(`handler "%s" writes to the store of the module "%s", whose version stays %d: raise the version, so that `+
				`every program knows which layout it reads, or declare allows.writeStores ["%s"] when the layout is the same`,
				manifest.Name, handle.Name, version, handle.Name)
		}
	}
	return nil
}
