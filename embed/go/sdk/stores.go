package sdk

import (
	"fmt"

	storetypes "cosmossdk.io/store/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// stores are those of the manifest, taken from the block's branch itself: not through the context, whose stores count the
// SDK's gas with every read. A handler's gas is its own.
func (u *Upgrade) stores(from storetypes.MultiStore) (stores upgrade.Stores, err error) {
	defer recovered(&err, "open a store")
	stores = upgrade.Stores{}
	for _, declared := range u.handler.Manifest.Stores {
		stores[declared.Name] = kvStore{from.GetKVStore(u.options.Keys[declared.Name])}
	}
	return stores, nil
}

// kvStore is a store of the SDK. The SDK's stores panic where others return an error.
type kvStore struct{ store storetypes.KVStore }

func (s kvStore) Get(key []byte) (value []byte, err error) {
	defer recovered(&err, "get")
	return s.store.Get(key), nil
}

func (s kvStore) Set(key, value []byte) (err error) {
	defer recovered(&err, "set")
	put(s.store, key, value)
	return nil
}

func (s kvStore) Delete(key []byte) (err error) {
	defer recovered(&err, "delete")
	s.store.Delete(append([]byte(nil), key...))
	return nil
}

func (s kvStore) Iterator(start, end []byte) (it upgrade.Iterator, err error) {
	defer recovered(&err, "iterate")
	return &iterator{pairs: s.store.Iterator(start, end)}, nil
}

// put copies key and value once, together: the SDK's caches keep both, and the caller's are good for the call alone.
func put(store storetypes.KVStore, key, value []byte) {
	both := make([]byte, len(key)+len(value))
	copy(both, key)
	copy(both[len(key):], value)
	store.Set(both[:len(key):len(key)], both[len(key):])
}

// iterator ends at a panic of the SDK's, and reports it.
type iterator struct {
	pairs storetypes.Iterator
	err   error
}

func (it *iterator) Valid() bool {
	if it.err != nil {
		return false
	}
	valid := false
	it.guard(func() { valid = it.pairs.Valid() })
	return valid
}

func (it *iterator) Next() { it.guard(it.pairs.Next) }

func (it *iterator) Key() (key []byte) {
	it.guard(func() { key = it.pairs.Key() })
	return key
}

func (it *iterator) Value() (value []byte) {
	it.guard(func() { value = it.pairs.Value() })
	return value
}

func (it *iterator) Error() error {
	if it.err != nil {
		return it.err
	}
	return it.pairs.Error()
}

func (it *iterator) Close() (err error) {
	defer recovered(&err, "close an iterator")
	return it.pairs.Close()
}

func (it *iterator) guard(step func()) {
	defer recovered(&it.err, "iterate")
	step()
}

// recovered turns a panic of a store into an error: a block that fails can be made again, and nothing of it is kept.
func recovered(err *error, doing string) {
	thrown := recover()
	if thrown == nil {
		return
	}
	wrapped := failure(upgrade.CodeStoreIO, "the chain's store failed (%s): %v", doing, thrown)
	if cause, ok := thrown.(error); ok {
		wrapped.Cause = cause
	} else {
		wrapped.Cause = fmt.Errorf("%v", thrown)
	}
	*err = wrapped
}
