package sdk_test

import (
	"testing"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	sdk "github.com/chain-upgrade/chain-upgrade/embed/go/sdk"
	"github.com/chain-upgrade/chain-upgrade/embed/go/sdk/example/notes"
)

// The manifest renames, adds and deletes stores: the SDK's store loader does that, and the handler finds it done.
func TestStoreUpgradesOfTheManifestGoThroughTheSDKsStoreLoader(t *testing.T) {
	c := newChain(t)
	added := &storetypes.StoreUpgrades{Added: []string{"old", sdk.ReceiptsStore}}
	c.open(added, notes.ModuleName, upgradetypes.StoreKey, sdk.ReceiptsStore, "old")
	c.stores.GetKVStore(c.keys["old"]).Set([]byte("key"), []byte("value"))
	c.stores.Commit()

	names := []string{"entries", "archive", "old", upgradetypes.StoreKey, sdk.ReceiptsStore}
	keys := storetypes.NewKVStoreKeys(names...)
	upgrades := c.migration(sdk.Options{Bytes: file(t, "moves"), Keys: keys}).StoreUpgrades()
	if len(upgrades.Added) != 1 || len(upgrades.Renamed) != 1 || len(upgrades.Deleted) != 1 {
		t.Fatalf("%+v", upgrades)
	}
	c.open(upgrades, names...)
	ctx, branch := c.block()
	c.must(c.preBlock(ctx, c.options("moves"), ""))
	branch.Write()
	c.stores.Commit()

	c.open(nil, "entries", "archive", upgradetypes.StoreKey, sdk.ReceiptsStore)
	if left, moved := c.count("entries"), c.count("archive"); left != 1 || moved != noteCount {
		t.Fatalf("%d pairs in entries, %d in archive", left, moved)
	}
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
