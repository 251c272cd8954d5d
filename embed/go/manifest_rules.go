package upgrade

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/strictjson"
)

// What the fields of a manifest must be to one another: it says each thing once, and never two that cannot both be.

const upgradeStore = "upgrade"

func checkManifest(manifest *Manifest) error {
	for _, check := range []func(*Manifest) error{
		checkStores, checkStoreUpgrades, checkRemoves, checkScans, checkAllows,
	} {
		if err := check(manifest); err != nil {
			return err
		}
	}
	return nil
}

func refuse(path, format string, args ...any) error {
	return &strictjson.Problem{Path: path, What: fmt.Sprintf(format, args...)}
}

func checkStores(manifest *Manifest) error {
	seen := map[string]bool{}
	for index, store := range manifest.Stores {
		path := fmt.Sprintf("$.stores[%d]", index)
		if seen[store.Name] {
			return refuse(path+".name", `store "%s" is listed twice`, store.Name)
		}
		seen[store.Name] = true
		if store.Name == upgradeStore && store.Writable {
			return refuse(path+".access", `store "%s" belongs to the upgrade module; "r" is all there is`, upgradeStore)
		}
		for i, prefix := range store.Prefixes {
			for j, other := range store.Prefixes {
				if i != j && bytes.HasPrefix(prefix, other) {
					at := fmt.Sprintf("%s.prefixes[%d]", path, i)
					return refuse(at, "begins with another prefix of this store (or equals it)")
				}
			}
		}
	}
	return nil
}

// storeUse is where in storeUpgrades a store is named.
type storeUse struct{ name, path string }

func storeUses(upgrades StoreUpgrades) []storeUse {
	var uses []storeUse
	for i, name := range upgrades.Added {
		uses = append(uses, storeUse{name, fmt.Sprintf("$.storeUpgrades.added[%d]", i)})
	}
	for i, rename := range upgrades.Renamed {
		path := fmt.Sprintf("$.storeUpgrades.renamed[%d]", i)
		uses = append(uses, storeUse{rename.OldKey, path + ".old_key"}, storeUse{rename.NewKey, path + ".new_key"})
	}
	for i, name := range upgrades.Deleted {
		uses = append(uses, storeUse{name, fmt.Sprintf("$.storeUpgrades.deleted[%d]", i)})
	}
	return uses
}

func checkStoreUpgrades(manifest *Manifest) error {
	seen := map[string]bool{}
	for _, use := range storeUses(manifest.StoreUpgrades) {
		if use.name == upgradeStore {
			return refuse(use.path, `store "%s" belongs to the upgrade module`, upgradeStore)
		}
		if seen[use.name] {
			return refuse(use.path, `store "%s" occurs twice in storeUpgrades`, use.name)
		}
		seen[use.name] = true
	}
	gone := map[string]bool{}
	for _, name := range manifest.StoreUpgrades.Deleted {
		gone[name] = true
	}
	for _, rename := range manifest.StoreUpgrades.Renamed {
		gone[rename.OldKey] = true
	}
	for i, store := range manifest.Stores {
		if gone[store.Name] {
			path := fmt.Sprintf("$.stores[%d].name", i)
			return refuse(path, `storeUpgrades takes store "%s" away before the run`, store.Name)
		}
	}
	return nil
}

func checkRemoves(manifest *Manifest) error {
	for index, module := range manifest.Removes {
		path := fmt.Sprintf("$.removes[%d]", index)
		if slices.Contains(manifest.Removes[:index], module) {
			return refuse(path, `module "%s" is listed twice`, module)
		}
		if _, ok := manifest.Versions[module]; ok {
			return refuse(path, `module "%s" is also listed at %s`, module, strictjson.FieldPath("$.versions", module))
		}
	}
	return nil
}

func checkScans(manifest *Manifest) error {
	for index, scan := range manifest.Scans {
		path := fmt.Sprintf("$.scans[%d]", index)
		at := slices.IndexFunc(manifest.Stores, func(store ManifestStore) bool { return store.Name == scan.Store })
		if at < 0 {
			return refuse(path+".store", `store "%s" is not listed in stores`, scan.Store)
		}
		allowed := manifest.Stores[at].Prefixes
		if allowed == nil {
			continue
		}
		if scan.Prefix == nil {
			return refuse(path, `needs a prefix: the manifest gives only parts of store "%s"`, scan.Store)
		}
		if !slices.ContainsFunc(allowed, func(prefix []byte) bool { return bytes.HasPrefix(scan.Prefix, prefix) }) {
			return refuse(path+".prefix", `lies outside the prefixes that the manifest gives of store "%s"`, scan.Store)
		}
	}
	return nil
}

func checkAllows(manifest *Manifest) error {
	writable := map[string]bool{}
	for _, store := range manifest.Stores {
		writable[store.Name] = store.Writable
	}
	taken := map[string]bool{}
	for _, name := range manifest.StoreUpgrades.Deleted {
		taken[name] = true
	}
	for _, rename := range manifest.StoreUpgrades.Renamed {
		taken[rename.OldKey] = true
		writable[rename.OldKey] = writable[rename.NewKey]
	}
	for _, each := range []struct {
		what   string
		names  []string
		isDone func(name string) bool
	}{
		{"deleteStores", manifest.Allows.DeleteStores, func(name string) bool { return taken[name] }},
		{"removeModules", manifest.Allows.RemoveModules, func(name string) bool { return slices.Contains(manifest.Removes, name) }},
		{"writeStores", manifest.Allows.WriteStores, func(name string) bool { return writable[name] }},
		{"keepStores", manifest.Allows.KeepStores, func(name string) bool { return len(manifest.Removes) > 0 && !taken[name] }},
	} {
		for index, name := range each.names {
			path := fmt.Sprintf("$.allows.%s[%d]", each.what, index)
			if slices.Contains(each.names[:index], name) {
				return refuse(path, `"%s" is listed twice`, name)
			}
			if !each.isDone(name) {
				return refuse(path, `allows what the manifest does not do with "%s"`, name)
			}
		}
	}
	return nil
}
