package sdk

import (
	"fmt"

	storetypes "cosmossdk.io/store/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// stores opens those of the block's branch itself: not through the context, whose stores count the SDK's gas with every read.
// A handler's gas is counted apart. The handler reaches the stores of its manifest; the guards need the names of all.
func (u *Upgrade) stores(from storetypes.MultiStore) (stores upgrade.Stores, err error) {
	defer recovered(&err, "open a store")
	stores = upgrade.Stores{}
	for name, key := range u.keys() {
		stores[name] = kvStore{from.GetKVStore(key)}
	}
	return stores, nil
}

// keys are those that the application has mounted, or Options.Keys without Register.
func (u *Upgrade) keys() map[string]*storetypes.KVStoreKey {
	if u.app != nil {
		if keys := mounted(u.app.CommitMultiStore()); keys != nil {
			return keys
		}
	}
	return u.options.Keys
}

// kvStore is a store of the SDK. Where others return an error these panic, which the run makes an error of.
type kvStore struct{ store storetypes.KVStore }

func (s kvStore) Get(key []byte) ([]byte, error) { return s.store.Get(key), nil }

func (s kvStore) Set(key, value []byte) error {
	put(s.store, key, value)
	return nil
}

func (s kvStore) Delete(key []byte) error {
	remove(s.store, key)
	return nil
}

func (s kvStore) Iterator(start, end []byte) (upgrade.Iterator, error) {
	return iterator{s.store.Iterator(start, end)}, nil
}

type iterator struct{ storetypes.Iterator }

// atEnd is what the SDK's cachekv says after the last pair, where other iterators say nothing.
const atEnd = "invalid cacheMergeIterator"

func (it iterator) Error() error {
	if err := it.Iterator.Error(); err != nil && err.Error() != atEnd {
		return err
	}
	return nil
}

// put copies key and value once, together: the SDK's caches keep both, and the caller's are good for the call alone.
func put(store storetypes.KVStore, key, value []byte) {
	both := make([]byte, len(key)+len(value))
	copy(both, key)
	copy(both[len(key):], value)
	store.Set(both[:len(key):len(key)], both[len(key):])
}

func remove(store storetypes.KVStore, key []byte) { store.Delete(append([]byte(nil), key...)) }

// recovered turns a panic of a store into an error: a block that fails can be made again, and nothing of it is kept.
func recovered(err *error, doing string) {
	thrown := recover()
	if thrown == nil {
		return
	}
	wrapped := failure(upgrade.CodeStoreIO, "the chain's store failed (%s): %v", doing, thrown)
	wrapped.Cause = thrownError(thrown)
	*err = wrapped
}

func thrownError(thrown any) error {
	if err, ok := thrown.(error); ok {
		return err
	}
	return fmt.Errorf("%v", thrown)
}
