package sdk

import (
	"context"
	"errors"

	storetypes "cosmossdk.io/store/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// write puts the final writes of a run into a branch: each key once, ascending.
func (u *Upgrade) write(run *upgrade.Run, branch storetypes.MultiStore) (err error) {
	defer recovered(&err, "write")
	for _, declared := range u.handler.Manifest.Stores {
		if !declared.Writable {
			continue
		}
		store := branch.GetKVStore(u.options.Keys[declared.Name])
		err := run.Each(declared.Name, func(key, value []byte, deleted bool) error {
			if deleted {
				remove(store, key)
			} else {
				put(store, key, value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAll makes the branch part of the block.
func writeAll(branch storetypes.CacheMultiStore) (err error) {
	defer recovered(&err, "write the branch")
	branch.Write()
	return nil
}

// cancelled: nothing is known to be wrong with the handler.
func cancelled(cause error) error {
	message := "the upgrade was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		message = "the upgrade took longer than it was given"
	}
	stopped := failure(upgrade.CodeHandlerEngine, "%s", message)
	stopped.Cause = cause
	return stopped
}
