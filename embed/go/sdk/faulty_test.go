package sdk_test

import (
	"fmt"
	"testing"

	storetypes "cosmossdk.io/store/types"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// faulty are stores of which one panics, as those of the SDK do when a disk fails.
type faulty struct {
	branched
	at string
}

type branched = storetypes.CacheMultiStore

func (f faulty) GetKVStore(key storetypes.StoreKey) storetypes.KVStore {
	if f.at == "open" {
		panic("open")
	}
	return panicking{f.branched.GetKVStore(key), f.at}
}

func (f faulty) CacheMultiStore() storetypes.CacheMultiStore {
	return faulty{f.branched.CacheMultiStore(), f.at}
}

func (f faulty) Write() {
	if f.at == "commit" {
		panic("commit")
	}
	f.branched.Write()
}

type panicking struct {
	storetypes.KVStore
	at string
}

func (p panicking) check(doing string) {
	if p.at == doing {
		panic(fmt.Errorf("the disk failed: %s", doing))
	}
}

func (p panicking) Get(key []byte) []byte {
	p.check("get")
	return p.KVStore.Get(key)
}

func (p panicking) Set(key, value []byte) {
	p.check("set")
	p.KVStore.Set(key, value)
}

func (p panicking) Delete(key []byte) {
	p.check("delete")
	p.KVStore.Delete(key)
}

func (p panicking) Iterator(start, end []byte) storetypes.Iterator {
	p.check("iterate")
	return panickingIterator{p.KVStore.Iterator(start, end), p}
}

type panickingIterator struct {
	storetypes.Iterator
	store panicking
}

func (it panickingIterator) Next() {
	it.store.check("next")
	it.Iterator.Next()
}

func (it panickingIterator) Value() []byte {
	it.store.check("value")
	return it.Iterator.Value()
}

func TestHandlerOverAStoreThatPanicsLeavesNothing(t *testing.T) {
	for _, at := range []string{"open", "iterate", "next", "value", "get", "set", "delete", "commit"} {
		t.Run(at, func(t *testing.T) {
			c := newChain(t)
			before := c.pairs(c.stores)
			_, branch := c.block()
			migration := c.migration(c.options("v2"))
			_, err := migration.Handler()(c.contextOver(faulty{branch, at}), planNow(c), versionsNow(c))
			wantCode(t, err, upgrade.CodeStoreIO)
			if c.pairs(branch) != before {
				t.Fatal("the block's branch differs")
			}
		})
	}
}
