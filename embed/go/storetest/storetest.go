// Package storetest checks a KVStore of your own against what this module expects of one.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) upgrade.KVStore { return open(t) })
//	}
package storetest

import (
	"bytes"
	"fmt"
	"testing"

	upgrade "github.com/chain-upgrade/chain-upgrade/embed/go"
)

// The longest key and value that a handler may write.
const (
	keyBytesMax   = 65_535
	valueBytesMax = 1_048_576
)

// Run makes a store for each test; it is empty.
func Run(t *testing.T, open func(t *testing.T) upgrade.KVStore) {
	for name, check := range map[string]func(*testing.T, upgrade.KVStore){
		"absent keys":                        absent,
		"empty values":                       emptyValues,
		"the last write counts":              lastWrite,
		"keys ascend bytewise":               order,
		"ranges":                             ranges,
		"the longest key and value":          longest,
		"what was given may change":          givenBytes,
		"reads while an iterator is open":    readsBetween,
		"an iterator in an empty store ends": emptyStore,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func set(t *testing.T, store upgrade.KVStore, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		must(t, store.Set([]byte(pairs[i]), []byte(pairs[i+1])))
	}
}

func sameGet(t *testing.T, store upgrade.KVStore, key string, want []byte) {
	t.Helper()
	value, err := store.Get([]byte(key))
	must(t, err)
	if (value == nil) != (want == nil) || !bytes.Equal(value, want) {
		t.Errorf("Get(%q) is %q (nil: %v), want %q (nil: %v)", key, value, value == nil, want, want == nil)
	}
}

// walked is what an iterator gives: key=value, one after the other.
func walked(t *testing.T, store upgrade.KVStore, start, end []byte) string {
	t.Helper()
	iterator, err := store.Iterator(start, end)
	must(t, err)
	all := ""
	for ; iterator.Valid(); iterator.Next() {
		all += fmt.Sprintf("%s=%s ", iterator.Key(), iterator.Value())
	}
	must(t, iterator.Error())
	must(t, iterator.Close())
	return all
}

func sameWalk(t *testing.T, store upgrade.KVStore, start, end []byte, want string) {
	t.Helper()
	if got := walked(t, store, start, end); got != want {
		t.Errorf("from %q to %q: %q, want %q", start, end, got, want)
	}
}

func absent(t *testing.T, store upgrade.KVStore) {
	sameGet(t, store, "a", nil)
	must(t, store.Delete([]byte("a")))
	set(t, store, "a", "1")
	must(t, store.Delete([]byte("a")))
	sameGet(t, store, "a", nil)
	sameWalk(t, store, nil, nil, "")
}

func emptyValues(t *testing.T, store upgrade.KVStore) {
	set(t, store, "a", "")
	sameGet(t, store, "a", []byte{})
	sameWalk(t, store, nil, nil, "a= ")
	iterator, err := store.Iterator(nil, nil)
	must(t, err)
	if iterator.Value() == nil {
		t.Error("an iterator gives nil for an empty value: an empty slice is due")
	}
	must(t, iterator.Close())
}

func lastWrite(t *testing.T, store upgrade.KVStore) {
	set(t, store, "a", "1", "a", "two", "b", "x", "a", "3")
	must(t, store.Delete([]byte("b")))
	set(t, store, "b", "y")
	sameWalk(t, store, nil, nil, "a=3 b=y ")
}

func order(t *testing.T, store upgrade.KVStore) {
	set(t, store, "b", "", "\xff", "", "a\x00", "", "a", "", "\x00", "", "\x7f", "", "\x80", "")
	sameWalk(t, store, nil, nil, "\x00= a= a\x00= b= \x7f= \x80= \xff= ")
}

func ranges(t *testing.T, store upgrade.KVStore) {
	set(t, store, "a", "1", "b", "2", "bb", "3", "c", "4")
	sameWalk(t, store, []byte("b"), nil, "b=2 bb=3 c=4 ")
	sameWalk(t, store, nil, []byte("b"), "a=1 ")
	sameWalk(t, store, []byte("b"), []byte("c"), "b=2 bb=3 ")
	sameWalk(t, store, []byte("aa"), []byte("az"), "")
	sameWalk(t, store, []byte("d"), nil, "")
}

func longest(t *testing.T, store upgrade.KVStore) {
	key, value := bytes.Repeat([]byte{1}, keyBytesMax), bytes.Repeat([]byte{2}, valueBytesMax)
	must(t, store.Set(key, value))
	got, err := store.Get(key)
	must(t, err)
	if !bytes.Equal(got, value) {
		t.Errorf("a value of %d bytes came back with %d", len(value), len(got))
	}
	// Where a scan goes on after the longest key.
	sameWalk(t, store, append(key, 0), nil, "")
}

func givenBytes(t *testing.T, store upgrade.KVStore) {
	key, value := []byte("key"), []byte("value")
	must(t, store.Set(key, value))
	key[0], value[0] = 'x', 'x'
	sameWalk(t, store, nil, nil, "key=value ")
}

func readsBetween(t *testing.T, store upgrade.KVStore) {
	set(t, store, "a", "1", "b", "2", "c", "3")
	iterator, err := store.Iterator([]byte("a"), nil)
	must(t, err)
	all := ""
	for ; iterator.Valid(); iterator.Next() {
		sameGet(t, store, "b", []byte("2"))
		sameWalk(t, store, []byte("c"), nil, "c=3 ")
		all += string(iterator.Key()) + string(iterator.Value())
	}
	must(t, iterator.Error())
	must(t, iterator.Close())
	if all != "a1b2c3" {
		t.Errorf("the iterator gave %q", all)
	}
}

func emptyStore(t *testing.T, store upgrade.KVStore) {
	sameWalk(t, store, nil, nil, "")
	sameWalk(t, store, []byte("a"), []byte("b"), "")
}
