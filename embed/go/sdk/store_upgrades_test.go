package sdk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"cosmossdk.io/store/rootmulti"
	storetypes "cosmossdk.io/store/types"
	upgrademodule "cosmossdk.io/x/upgrade"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/baseapp"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

// testApp is the part of BaseApp that Register uses.
type testApp struct {
	stores *rootmulti.Store
	loader baseapp.StoreLoader
}

func (app *testApp) SetStoreLoader(loader baseapp.StoreLoader)     { app.loader = loader }
func (app *testApp) CommitMultiStore() storetypes.CommitMultiStore { return app.stores }

// start is a start of a binary that mounts these stores and registers the handler.
func (c *chain) start(change func(*sdk.Options), handler string, names ...string) error {
	c.t.Helper()
	c.mount(names...)
	options := c.options(handler)
	change(&options)
	app := &testApp{stores: c.stores, loader: baseapp.DefaultStoreLoader}
	c.must(c.migration(options).Register(c.keeper, app))
	return app.loader(c.stores)
}

// halt stores the plan for the next block, and halts the old binary there.
func (c *chain) halt(info string) int64 {
	c.t.Helper()
	ctx, branch := c.block()
	plan := upgradetypes.Plan{Name: "v2", Height: ctx.BlockHeight() + 1, Info: info}
	c.must(c.keeper.ScheduleUpgrade(ctx, plan))
	branch.Write()
	c.stores.Commit()
	ctx, _ = c.block()
	if _, err := upgrademodule.PreBlocker(ctx, c.keeper); err == nil || !strings.Contains(err.Error(), "NEEDED") {
		c.t.Fatalf("the old binary does not halt: %v", err)
	}
	return plan.Height
}

// next makes the next block.
func (c *chain) next() error {
	ctx, branch := c.block()
	if _, err := upgrademodule.PreBlocker(ctx, c.keeper); err != nil {
		return err
	}
	branch.Write()
	c.stores.Commit()
	return nil
}

func owningEntries(options *sdk.Options) {
	options.ModuleStores = map[string][]string{"notes": {"notes", "entries"}}
}

// newChainWithOld also has the store old, which the handler moves deletes.
func newChainWithOld(t *testing.T) *chain {
	c := newChain(t)
	added := &storetypes.StoreUpgrades{Added: []string{"old", sdk.ReceiptsStore}}
	c.open(added, notesStore, upgradetypes.StoreKey, sdk.ReceiptsStore, "old")
	c.stores.GetKVStore(c.keys["old"]).Set([]byte("key"), []byte("value"))
	c.stores.Commit()
	return c
}

// The manifest renames, adds and deletes stores. The node starts again after the block, with upgrade-info.json still there.
func TestRegisterGivesTheStoreUpgradesToTheStoreLoaderAndTheNodeStartsAgain(t *testing.T) {
	c := newChainWithOld(t)
	c.halt("")
	names := []string{"entries", "archive", upgradetypes.StoreKey, sdk.ReceiptsStore}
	c.must(c.start(owningEntries, "moves", names...))
	c.must(c.next())
	for range 2 {
		c.must(c.start(owningEntries, "moves", names...))
		if left, moved := c.count("entries"), c.count("archive"); left != 1 || moved != noteCount {
			t.Fatalf("%d pairs in entries, %d in archive", left, moved)
		}
		c.must(c.next())
	}
}

func TestRegisterRefusesADeletedStoreWhoseKeyIsStillMounted(t *testing.T) {
	c := newChainWithOld(t)
	c.halt("")
	err := c.start(owningEntries, "moves", "entries", "archive", "old", upgradetypes.StoreKey, sdk.ReceiptsStore)
	wantCode(t, err, upgrade.CodeInvalidArgument)
	if !strings.Contains(err.Error(), `deletes the store "old", and this binary still mounts its key`) {
		t.Fatal(err)
	}
}

// Without ModuleStores the module notes would have lost its store.
func TestHandlerThatRenamesAStoreAwayFromItsModuleIsRefused(t *testing.T) {
	c := newChainWithOld(t)
	c.halt("")
	c.must(c.start(func(*sdk.Options) {}, "moves", "entries", "archive", upgradetypes.StoreKey, sdk.ReceiptsStore))
	wantCode(t, c.next(), upgrade.CodeMigrationVersionMap)
}

// The store's name says nothing of its module: ModuleStores does.
func TestHandlerThatDeletesAStoreOfAnotherModuleIsRefused(t *testing.T) {
	c := newChainWithOld(t)
	c.halt("")
	table := func(options *sdk.Options) {
		options.ModuleStores = map[string][]string{"notes": {"notes", "entries"}, "bank": {"old"}}
	}
	c.must(c.start(table, "moves", "entries", "archive", upgradetypes.StoreKey, sdk.ReceiptsStore))
	err := c.next()
	wantCode(t, err, upgrade.CodeMigrationVersionMap)
	if !strings.Contains(err.Error(), `deletes the store "old", and the module "bank" stays`) {
		t.Fatal(err)
	}
}

func TestRegisterAddsTheStoreOfReceiptsOnce(t *testing.T) {
	c := newChain(t)
	c.stores.Commit() // with the receipts
	c.halt("")
	adding := func(options *sdk.Options) { options.AddReceipts = true }
	c.must(c.start(adding, "v2", notesStore, upgradetypes.StoreKey, sdk.ReceiptsStore))
	c.must(c.next())
}

// A node that has passed the plan does not need its file; one that stands before it says what is missing.
func TestAMissingFileIsNeededOnlyAtThePlansHeight(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "v2.wasm")
	missing := func(options *sdk.Options) { options.Bytes, options.File, options.Plan = nil, absent, "v2" }
	names := []string{notesStore, upgradetypes.StoreKey, sdk.ReceiptsStore}
	c := newChain(t)
	c.stores.Commit()
	c.halt("")
	err := c.start(missing, "v2", names...)
	wantCode(t, err, upgrade.CodeInvalidArgument)
	if !strings.Contains(err.Error(), absent) {
		t.Fatal(err)
	}
	c.must(c.start(func(*sdk.Options) {}, "v2", names...))
	c.must(c.next())
	c.must(c.start(missing, "v2", names...))
	c.must(c.next())
	c.home = t.TempDir() // as after a state sync: no upgrade-info.json
	c.must(c.start(missing, "v2", names...))
	c.must(c.next())
	ctx, _ := c.block()
	migration := c.migration(sdk.Options{File: absent, Plan: "v2", Keys: c.keys})
	_, err = migration.Handler()(ctx, planNow(c), versionsNow(c))
	wantCode(t, err, upgrade.CodeInvalidArgument)
}

func (c *chain) count(name string) int {
	pairs := c.stores.GetKVStore(c.keys[name]).Iterator(nil, nil)
	defer pairs.Close()
	count := 0
	for ; pairs.Valid(); pairs.Next() {
		count++
	}
	return count
}
