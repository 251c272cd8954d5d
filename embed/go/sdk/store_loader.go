package sdk

import (
	"slices"

	storetypes "cosmossdk.io/store/types"
	upgradetypes "cosmossdk.io/x/upgrade/types"

	"github.com/cosmos/cosmos-sdk/baseapp"
)

// storeLoader makes the store upgrades if the block at height is the next one. Afterwards upgrade-info.json keeps naming the
// plan, and the stores are loaded as usual.
func (u *Upgrade) storeLoader(height int64) baseapp.StoreLoader {
	return func(stores storetypes.CommitMultiStore) error {
		last := stores.LastCommitID().Version
		if height != last+1 {
			return baseapp.DefaultStoreLoader(stores)
		}
		if u.missing != nil {
			return u.missing
		}
		upgrades := u.StoreUpgrades()
		for _, name := range upgrades.Deleted {
			if mounted(stores)[name] != nil {
				return invalid("the handler of the plan %q deletes the store %q, and this binary still mounts its key: nodes could not "+
					"start again after the block. Leave the key out of this binary", u.Name(), name)
			}
		}
		if u.options.AddReceipts && isCommitted(stores, last, u.options.Receipts.Name()) {
			upgrades.Added = slices.DeleteFunc(upgrades.Added, func(name string) bool { return name == u.options.Receipts.Name() })
		}
		return upgradetypes.UpgradeStoreLoader(height, upgrades)(stores)
	}
}

// mounted returns the keys of the mounted stores that blocks commit, by name; nil if the multistore cannot list them.
func mounted(stores storetypes.CommitMultiStore) map[string]*storetypes.KVStoreKey {
	named, ok := stores.(interface {
		StoreKeysByName() map[string]storetypes.StoreKey
	})
	if !ok {
		return nil
	}
	keys := map[string]*storetypes.KVStoreKey{}
	for name, key := range named.StoreKeysByName() {
		if key, ok := key.(*storetypes.KVStoreKey); ok {
			keys[name] = key
		}
	}
	return keys
}

// isCommitted reports whether the block at height committed a store of this name.
func isCommitted(stores storetypes.CommitMultiStore, height int64, name string) bool {
	committed, ok := stores.(interface {
		GetCommitInfo(height int64) (*storetypes.CommitInfo, error)
	})
	if !ok {
		return false
	}
	info, err := committed.GetCommitInfo(height)
	if err != nil {
		return false // loading the stores reports it
	}
	return slices.ContainsFunc(info.StoreInfos, func(store storetypes.StoreInfo) bool { return store.Name == name })
}
