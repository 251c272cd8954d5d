package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cosmossdk.io/core/header"
	"cosmossdk.io/log"
	"cosmossdk.io/store/metrics"
	"cosmossdk.io/store/rootmulti"
	storetypes "cosmossdk.io/store/types"
	upgrademodule "cosmossdk.io/x/upgrade"
	"cosmossdk.io/x/upgrade/keeper"
	upgradetypes "cosmossdk.io/x/upgrade/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	dbm "github.com/cosmos/cosmos-db"

	"github.com/cosmos/cosmos-sdk/codec"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	"github.com/cosmos/cosmos-sdk/runtime"
	sdktypes "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
)

const (
	noteCount = 300
	chainID   = "test-1"
)

// chain is the real keeper of x/upgrade over the SDK's stores, with a store of notes in layout 1.
type chain struct {
	t      *testing.T
	db     dbm.DB
	stores *rootmulti.Store
	keys   map[string]*storetypes.KVStoreKey
	keeper *keeper.Keeper
	// home of the node, where x/upgrade keeps upgrade-info.json.
	home string
	// skips are the heights of --unsafe-skip-upgrades.
	skips map[int64]bool
}

func newChain(t *testing.T) *chain {
	t.Helper()
	c := &chain{t: t, db: dbm.NewMemDB(), home: t.TempDir()}
	c.open(nil, notesStore, upgradetypes.StoreKey)
	ctx, branch := c.block()
	for i := range noteCount {
		addNote(branch.GetKVStore(c.keys[notesStore]), uint64(i), fmt.Sprintf("owner-%d", i%7), fmt.Sprintf("text %d", i))
	}
	c.must(c.keeper.SetModuleVersionMap(ctx, module.VersionMap{"notes": 1, "bank": 3, "upgrade": 2}))
	branch.Write()
	c.stores.Commit()
	c.open(&storetypes.StoreUpgrades{Added: []string{sdk.ReceiptsStore}}, notesStore, upgradetypes.StoreKey, sdk.ReceiptsStore)
	return c
}

// open loads the stores as a binary does that knows these.
func (c *chain) open(upgrades *storetypes.StoreUpgrades, names ...string) {
	c.t.Helper()
	c.mount(names...)
	c.must(c.stores.LoadLatestVersionAndUpgrade(upgrades))
}

// mount makes the keeper and the stores, and does not load them.
func (c *chain) mount(names ...string) {
	c.stores = rootmulti.NewStore(c.db, log.NewNopLogger(), metrics.NewNoOpMetrics())
	c.keys = storetypes.NewKVStoreKeys(names...)
	for _, key := range c.keys {
		c.stores.MountStoreWithDB(key, storetypes.StoreTypeIAVL, nil)
	}
	cdc := codec.NewProtoCodec(codectypes.NewInterfaceRegistry())
	service := runtime.NewKVStoreService(c.keys[upgradetypes.StoreKey])
	c.keeper = keeper.NewKeeper(c.skips, service, cdc, c.home, nil, "authority")
}

// block is the context of the next block over a branch.
func (c *chain) block() (sdktypes.Context, storetypes.CacheMultiStore) {
	branch := c.stores.CacheMultiStore()
	return c.contextOver(branch), branch
}

func (c *chain) contextOver(stores storetypes.MultiStore) sdktypes.Context {
	height := c.stores.LatestVersion() + 1
	at := time.Unix(1_800_000_000, 0).UTC()
	return sdktypes.NewContext(stores, cmtproto.Header{ChainID: chainID, Height: height, Time: at}, false, log.NewNopLogger()).
		WithHeaderInfo(header.Info{ChainID: chainID, Height: height, Time: at})
}

// options run a handler of testdata over the chain's stores.
func (c *chain) options(name string) sdk.Options {
	return sdk.Options{Bytes: file(c.t, name), Keys: c.keys, Receipts: c.keys[sdk.ReceiptsStore], AllowUnpinned: true}
}

// preBlock schedules v2 for this block and has x/upgrade apply it.
func (c *chain) preBlock(ctx sdktypes.Context, options sdk.Options, info string) error {
	c.t.Helper()
	migration, err := sdk.New(options)
	if err != nil {
		return err
	}
	c.t.Cleanup(func() { _ = migration.Close(context.Background()) })
	c.keeper.SetUpgradeHandler(migration.Name(), migration.Handler())
	height := ctx.HeaderInfo().Height
	plan := upgradetypes.Plan{Name: migration.Name(), Height: height, Info: info}
	before := ctx.WithHeaderInfo(header.Info{ChainID: chainID, Height: height - 1})
	c.must(c.keeper.ScheduleUpgrade(before, plan))
	_, err = upgrademodule.PreBlocker(ctx, c.keeper)
	return err
}

// pairs of every store but that of x/upgrade, in which the test itself schedules.
func (c *chain) pairs(stores storetypes.MultiStore) string {
	all := ""
	for _, name := range []string{notesStore, sdk.ReceiptsStore} {
		pairs := stores.GetKVStore(c.keys[name]).Iterator(nil, nil)
		for ; pairs.Valid(); pairs.Next() {
			all += fmt.Sprintf("%s %x %x\n", name, pairs.Key(), pairs.Value())
		}
		c.must(pairs.Close())
	}
	return all
}

func (c *chain) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	bytes, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func wantCode(t *testing.T, err error, code upgrade.Code) {
	t.Helper()
	var failure *upgrade.Error
	if !errors.As(err, &failure) || failure.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
}
