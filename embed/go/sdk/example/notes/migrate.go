package notes

import (
	"encoding/binary"
	"fmt"

	storetypes "cosmossdk.io/store/types"
)

// MigrateByHand takes the store from layout 1 to 2 in Go. The chain does not use it: its handler does the same in the sandbox,
// and this is what that is compared with.
func MigrateByHand(store storetypes.KVStore) error {
	notes := store.Iterator([]byte{numberPrefix}, []byte{numberPrefix + 1})
	defer notes.Close()
	for ; notes.Valid(); notes.Next() {
		key, value := notes.Key(), notes.Value()
		if len(key) != 1+numberLength || len(value) < 1 || len(value) < 1+int(value[0]) {
			return fmt.Errorf("note %x is not of layout 1", key)
		}
		length := 1 + int(value[0])
		store.Delete(key)
		store.Set(ownerKey(string(value[1:length]), binary.BigEndian.Uint64(key[1:])), value[length:])
	}
	return nil
}
