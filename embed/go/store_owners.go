package upgrade

import (
	"maps"
	"slices"
)

// storeOwners says which module owns which store around one upgrade. Guards decide by this table, not by names that modules
// and stores happen to share: in the Cosmos SDK the store of auth is "acc".
type storeOwners struct {
	declared map[string][]string
	// stored are the module versions before the upgrade.
	stored VersionMap
	// before and after the upgrade's store changes; after are the stores that the run is given.
	before, after map[string]bool
}

func newStoreOwners(input *Input, upgrades StoreUpgrades) storeOwners {
	owners := storeOwners{
		declared: input.ModuleStores, stored: input.Versions, before: map[string]bool{}, after: map[string]bool{},
	}
	for name, store := range input.Stores {
		if store != nil {
			owners.after[name] = true
			owners.before[name] = true
		}
	}
	for _, name := range upgrades.Added {
		delete(owners.before, name)
	}
	for _, rename := range upgrades.Renamed {
		delete(owners.before, rename.NewKey)
	}
	for _, name := range upgrades.Deleted {
		owners.before[name] = true
	}
	for _, rename := range upgrades.Renamed {
		owners.before[rename.OldKey] = true
	}
	return owners
}

// storesOf returns the stores of a module, ascending. A declaration may name what a later version calls the stores: a stored
// module, none of whose declared stores existed before the upgrade, also owns the store of its own name, if that existed.
func (o storeOwners) storesOf(module string) []string {
	declared, isDeclared := o.declared[module]
	if !isDeclared {
		if o.before[module] || o.after[module] {
			return []string{module}
		}
		return nil
	}
	names := slices.Clone(declared)
	_, isStored := o.stored[module]
	existed := slices.ContainsFunc(declared, func(name string) bool { return o.before[name] })
	if len(declared) > 0 && isStored && !existed && o.before[module] {
		names = append(names, module)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ownersOf returns the stored modules that own the store, ascending.
func (o storeOwners) ownersOf(store string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(o.stored)), func(module string) bool {
		return !slices.Contains(o.storesOf(module), store)
	})
}

// losersOf returns the stored modules that lose a renamed store. A module that also owns the new name loses nothing.
func (o storeOwners) losersOf(rename StoreRename) []string {
	return slices.DeleteFunc(o.ownersOf(rename.OldKey), func(module string) bool {
		return slices.Contains(o.storesOf(module), rename.NewKey)
	})
}

func (o storeOwners) hadStore(module string) bool {
	return slices.ContainsFunc(o.storesOf(module), func(name string) bool { return o.before[name] })
}
