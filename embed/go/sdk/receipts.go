package sdk

import (
	"fmt"

	storetypes "cosmossdk.io/store/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// writeReceipt records the run under the plan's name. Roots of stores are not in it: the SDK computes them when the block is
// committed, after the last write.
func (u *Upgrade) writeReceipt(run *upgrade.Run, branch storetypes.MultiStore) (err error) {
	if u.options.Receipts == nil {
		return nil
	}
	defer recovered(&err, "write the receipt")
	receipt, err := run.Receipt(nil).Encode()
	if err != nil {
		return err
	}
	branch.GetKVStore(u.options.Receipts).Set([]byte(u.Name()), receipt)
	return nil
}

// ReadReceipt is what a handler's upgrade left in the store of receipts. It fails with UPG_NOT_FOUND_RECEIPT and
// UPG_STORE_CORRUPT.
func ReadReceipt(store storetypes.KVStore, plan string) (receipt upgrade.Receipt, err error) {
	defer recovered(&err, "read a receipt")
	encoded := store.Get([]byte(plan))
	if encoded == nil {
		return upgrade.Receipt{}, failure("UPG_NOT_FOUND_RECEIPT", "no receipt for the plan %q", plan)
	}
	receipt, err = upgrade.DecodeReceipt(encoded)
	if err != nil {
		return upgrade.Receipt{}, fmt.Errorf("receipt of %q: %w", plan, err)
	}
	return receipt, nil
}
