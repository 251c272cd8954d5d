package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What an upgrade must not do by accident: mistakes that have hurt chains. They are refused unless the manifest declares them in
// `allows`, so that the people who approve it read them first. The one exception is a module that stays without its stores,
// which no declaration allows. All fail with UPG_MIGRATION_VERSION_MAP. docs/abi.md has the rules and their order.

// defaultVitalModules are modules without which a chain can never be upgraded again.
var defaultVitalModules = []string{"gov", "upgrade"}

func guard(format string, args ...any) error {
	return newError(CodeMigrationVersionMap, format, args...)
}

// guardBefore runs before the handler.
func (manifest *Manifest) guardBefore(input *Input) error {
	if len(input.Versions) == 0 && !manifest.Allows.EmptyVersionMap {
		return guard(`the stored version map is empty, so handler "%s" cannot know what is there and modules would begin again `+
			"over their data: store the modules' versions at genesis, or declare allows.emptyVersionMap", manifest.Name)
	}
	owners := newStoreOwners(input, manifest.StoreUpgrades)
	for _, check := range []func(*Input, storeOwners) error{
		manifest.guardTaken, manifest.guardVital, manifest.guardKept, manifest.guardNew,
	} {
		if err := check(input, owners); err != nil {
			return err
		}
	}
	return nil
}

// guardTaken: deleting or renaming a store takes it away from a module that stays.
func (manifest *Manifest) guardTaken(_ *Input, owners storeOwners) error {
	refused := func(store string, losers []string, does func(module string) string) error {
		for _, module := range losers {
			if slices.Contains(manifest.Removes, module) || slices.Contains(manifest.Allows.DeleteStores, store) {
				continue
			}
			return guard(`handler "%s" %s, and the module "%s" stays: remove the module as well, or declare allows.deleteStores ["%s"]`,
				manifest.Name, does(module), module, store)
		}
		return nil
	}
	for _, store := range manifest.StoreUpgrades.Deleted {
		does := func(string) string { return fmt.Sprintf(`deletes the store "%s"`, store) }
		if err := refused(store, owners.ownersOf(store), does); err != nil {
			return err
		}
	}
	for _, rename := range manifest.StoreUpgrades.Renamed {
		does := func(module string) string {
			return fmt.Sprintf(`takes the store "%s" away from the module "%s" (renames it to "%s")`, rename.OldKey, module, rename.NewKey)
		}
		if err := refused(rename.OldKey, owners.losersOf(rename), does); err != nil {
			return err
		}
	}
	return nil
}

func (manifest *Manifest) guardVital(input *Input, _ storeOwners) error {
	vital := input.VitalModules
	if vital == nil {
		vital = defaultVitalModules
	}
	for _, module := range slices.Sorted(slices.Values(vital)) {
		if slices.Contains(manifest.Removes, module) && !slices.Contains(manifest.Allows.RemoveModules, module) {
			return guard(`handler "%s" removes the module "%s", without which the chain cannot go on: keep it, or declare `+
				`allows.removeModules ["%s"]`, manifest.Name, module, module)
		}
	}
	return nil
}

// guardKept: a removed module takes its stores with it, since a later module of that name would begin over what is left.
func (manifest *Manifest) guardKept(input *Input, owners storeOwners) error {
	stays := func(module string) bool { return !slices.Contains(manifest.Removes, module) }
	for _, module := range manifest.Removes {
		if _, isStored := input.Versions[module]; !isStored {
			continue
		}
		for _, store := range owners.storesOf(module) {
			isShared := slices.ContainsFunc(owners.ownersOf(store), stays)
			if !owners.after[store] || isShared || slices.Contains(manifest.Allows.KeepStores, store) {
				continue
			}
			return guard(`handler "%s" removes the module "%s" and keeps its store "%s": delete the store as well, or declare `+
				`allows.keepStores ["%s"]`, manifest.Name, module, store, store)
		}
	}
	return nil
}

// guardNew: a module that the manifest brings as new begins with empty stores.
func (manifest *Manifest) guardNew(input *Input, owners storeOwners) error {
	for _, module := range slices.Sorted(maps.Keys(manifest.Versions)) {
		if _, isStored := input.Versions[module]; isStored || manifest.Versions[module].From != nil {
			continue
		}
		for _, name := range owners.storesOf(module) {
			store := input.Stores[name]
			if store == nil {
				continue
			}
			hasData, err := hasPairs(name, store)
			if err != nil {
				return err
			}
			if hasData {
				return guard(`handler "%s" brings the module "%s" as new, and its store "%s" has data: it would begin again over them. If `+
					"the module was there before, its version is missing in the stored version map; if not, delete the store in an upgrade before",
					manifest.Name, module, name)
			}
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

// guardAfter runs after the handler.
func (manifest *Manifest) guardAfter(input *Input, after VersionMap, handles *storeHandles) error {
	owners := newStoreOwners(input, manifest.StoreUpgrades)
	if err := manifest.guardStores(input.Versions, after, owners); err != nil {
		return err
	}
	return manifest.guardWrites(input.Versions, after, owners, handles)
}

// guardStores: a module of the version map has a store to run over.
func (manifest *Manifest) guardStores(before, after VersionMap, owners storeOwners) error {
	for _, module := range slices.Sorted(maps.Keys(after)) {
		_, wasStored := before[module]
		isNew := !wasStored && len(owners.declared[module]) > 0
		stores := owners.storesOf(module)
		isOpened := slices.ContainsFunc(stores, func(name string) bool { return owners.after[name] })
		if isOpened || !isNew && !owners.hadStore(module) {
			continue
		}
		return guard(`after handler "%s" the module "%s" is in the version map and has no store ("%s"): it would stop running. `+
			"Keep its store, or remove the module", manifest.Name, module, strings.Join(stores, `", "`))
	}
	return nil
}

// guardWrites: the modules that own a written store have another version afterwards. A renamed store is also that of its old
// owner.
func (manifest *Manifest) guardWrites(before, after VersionMap, owners storeOwners, handles *storeHandles) error {
	refused := func(store string, modules []string) error {
		for _, module := range modules {
			version := before[module]
			if now, stays := after[module]; !stays || now != version || slices.Contains(manifest.Allows.WriteStores, store) {
				continue
			}
			return guard(`handler "%s" writes to the store "%s" of the module "%s", whose version stays %d: raise the version, so that `+
				`every program knows which layout it reads, or declare allows.writeStores ["%s"] when the layout is the same`,
				manifest.Name, store, module, version, store)
		}
		return nil
	}
	for _, handle := range handles.sorted() {
		if handle.overlay.writes.IsEmpty() {
			continue
		}
		if err := refused(handle.Name, owners.ownersOf(handle.Name)); err != nil {
			return err
		}
		for _, rename := range manifest.StoreUpgrades.Renamed {
			if rename.NewKey != handle.Name {
				continue
			}
			if err := refused(rename.OldKey, owners.losersOf(rename)); err != nil {
				return err
			}
		}
	}
	return nil
}
