package upgrade

import (
	"context"
	"strings"
	"testing"
)

// guarded changes a handler that writes to the stores auth and bank, and what it runs with. The manifest takes auth from 1 to 2
// and bank from 1 to 2.
type guarded struct {
	change func(*Manifest, *Input)
	// allow declares it, so that the run succeeds; nil: nothing allows it.
	allow func(*Allowances)
	words string
}

func stored(i *Input, module string, stores ...string) {
	i.Versions[module] = 1
	for _, name := range stores {
		i.Stores[name] = &MemoryStore{}
	}
}

var guardedCases = map[string]guarded{
	"no versions": {
		func(m *Manifest, i *Input) { i.Versions, m.Versions = nil, nil },
		func(a *Allowances) { a.EmptyVersionMap = true }, "version map is empty",
	},
	"a store is deleted, its module stays under another store": {
		func(m *Manifest, i *Input) {
			stored(i, "ibc", "ibc2")
			i.ModuleStores = map[string][]string{"ibc": {"ibc1", "ibc2"}}
			m.StoreUpgrades.Deleted = []string{"ibc1"}
		},
		func(a *Allowances) { a.DeleteStores = []string{"ibc1"} }, `deletes the store "ibc1", and the module "ibc" stays`,
	},
	"a store is renamed away from its module": {
		func(m *Manifest, i *Input) {
			stored(i, "acc", "other", "zz")
			i.ModuleStores = map[string][]string{"acc": {"acc", "other"}}
			m.StoreUpgrades.Renamed = []StoreRename{{OldKey: "acc", NewKey: "zz"}}
		},
		func(a *Allowances) { a.DeleteStores = []string{"acc"} },
		`takes the store "acc" away from the module "acc" (renames it to "zz"), and the module "acc" stays`,
	},
	"gov is removed": {
		func(m *Manifest, i *Input) { i.Versions["gov"], m.Removes = 1, []string{"gov"} },
		func(a *Allowances) { a.RemoveModules = []string{"gov"} }, `removes the module "gov", without which`,
	},
	"a vital module of this chain is removed": {
		func(m *Manifest, i *Input) {
			i.Versions["coins"], m.Removes, i.VitalModules = 1, []string{"coins"}, []string{"gov", "coins"}
		},
		func(a *Allowances) { a.RemoveModules = []string{"coins"} }, `removes the module "coins", without which`,
	},
	"a module is removed and its store stays": {
		func(m *Manifest, i *Input) { stored(i, "mint", "mint"); m.Removes = []string{"mint"} },
		func(a *Allowances) { a.KeepStores = []string{"mint"} }, `removes the module "mint" and keeps its store "mint"`,
	},
	"a new module's store of another name has data": {
		func(m *Manifest, i *Input) {
			m.Versions["names"] = ModuleVersions{To: 1}
			store := &MemoryStore{}
			_ = store.Set([]byte("key"), []byte("value"))
			i.Stores["nam"], i.ModuleStores = store, map[string][]string{"names": {"nam"}}
		}, nil, `brings the module "names" as new, and its store "nam" has data`,
	},
	"a module stays without its store": {
		func(m *Manifest, i *Input) {
			i.Versions["mint"] = 1
			m.StoreUpgrades.Deleted, m.Allows.DeleteStores = []string{"mint"}, []string{"mint"}
		}, nil, `the module "mint" is in the version map and has no store ("mint")`,
	},
	"a new module without the stores that it declares": {
		func(m *Manifest, i *Input) {
			m.Versions["ica"] = ModuleVersions{To: 1}
			i.ModuleStores = map[string][]string{"ica": {"icahost", "icacontroller"}}
		}, nil, `has no store ("icacontroller", "icahost")`,
	},
	"a write without a new version": {
		func(m *Manifest, _ *Input) { delete(m.Versions, "auth") },
		func(a *Allowances) { a.WriteStores = []string{"auth"} }, `the store "auth" of the module "auth", whose version stays 1`,
	},
	"a write to a store of another module": {
		func(_ *Manifest, i *Input) {
			i.Versions["coins"], i.ModuleStores = 1, map[string][]string{"coins": {"bank"}}
		},
		func(a *Allowances) { a.WriteStores = []string{"bank"} }, `the store "bank" of the module "coins", whose version stays 1`,
	},
	"a write to a store that was renamed": {
		func(m *Manifest, i *Input) {
			stored(i, "coins", "purse")
			i.ModuleStores = map[string][]string{"coins": {"coins", "purse"}}
			m.StoreUpgrades.Renamed, m.Allows.DeleteStores = []StoreRename{{OldKey: "coins", NewKey: "bank"}}, []string{"coins"}
		},
		func(a *Allowances) { a.WriteStores = []string{"coins"} }, `the store "coins" of the module "coins", whose version stays 1`,
	},
}

func TestRun_guards_refuseWhatIsNotDeclared(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	for name, each := range guardedCases {
		t.Run(name, func(t *testing.T) {
			changed := *handler
			changed.Manifest.Versions = map[string]ModuleVersions{}
			for module, versions := range handler.Manifest.Versions {
				changed.Manifest.Versions[module] = versions
			}
			input := accounts(t, handler, 3)
			input.WithoutGuards = false
			each.change(&changed.Manifest, &input)
			_, err := changed.Run(context.Background(), input)
			if codeOf(err) != CodeMigrationVersionMap || !strings.Contains(err.Error(), each.words) {
				t.Fatalf("got %v", err)
			}
			if gas, ok := err.(*Error).Details["gas"]; ok {
				t.Errorf("the error names gas %s", gas)
			}
			if each.allow == nil {
				return
			}
			each.allow(&changed.Manifest.Allows)
			run, err := changed.Run(context.Background(), input)
			if err != nil {
				t.Fatalf("declared: %v", err)
			}
			must(t, run.Discard())
		})
	}
	input := accounts(t, handler, 3)
	input.WithoutGuards = false
	run, err := handler.Run(context.Background(), input)
	must(t, err)
	must(t, run.Discard())
}

// A module whose manifest renames its only store to another one that it owns loses nothing.
func TestRun_guards_letAModuleRenameItsOwnStore(t *testing.T) {
	handler := load(t, guest(t, "split-balances"), LoadOptions{})
	changed := *handler
	changed.Manifest.StoreUpgrades.Renamed = []StoreRename{{OldKey: "acc", NewKey: "auth"}}
	changed.Manifest.StoreUpgrades.Deleted = []string{"shared"}
	input := accounts(t, handler, 3)
	input.WithoutGuards = false
	input.ModuleStores = map[string][]string{"auth": {"auth", "acc"}, "x": {}}
	run, err := changed.Run(context.Background(), input)
	must(t, err)
	must(t, run.Discard())
}
