package notes

import (
	"context"
	"encoding/binary"
	"fmt"

	corestore "cosmossdk.io/core/store"
)

// Keeper writes notes in the layout of the version that it was made for.
type Keeper struct {
	stores  corestore.KVStoreService
	version uint64
}

// NewKeeper makes a keeper of layout 1 or 2.
func NewKeeper(stores corestore.KVStoreService, version uint64) Keeper {
	return Keeper{stores: stores, version: version}
}

// Add writes a note and returns its number.
func (k Keeper) Add(ctx context.Context, owner, text string) (uint64, error) {
	if owner == "" || len(owner) > ownerBytesMax {
		return 0, fmt.Errorf("an owner has 1 to %d bytes", ownerBytesMax)
	}
	store := k.stores.OpenKVStore(ctx)
	number, err := k.Next(ctx)
	if err != nil {
		return 0, err
	}
	if k.version == 1 {
		err = store.Set(numberKey(number), ownerAndText(owner, text))
	} else {
		err = store.Set(ownerKey(owner, number), []byte(text))
	}
	if err != nil {
		return 0, err
	}
	return number, store.Set(nextKey(), binary.BigEndian.AppendUint64(nil, number+1))
}

// Next is the number of the next note: how many there are.
func (k Keeper) Next(ctx context.Context) (uint64, error) {
	value, err := k.stores.OpenKVStore(ctx).Get(nextKey())
	if err != nil || value == nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(value), nil
}
