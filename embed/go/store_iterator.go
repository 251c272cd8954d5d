package upgrade

import (
	"bytes"
	"encoding/hex"
)

// heldIterator is an iterator of the caller's, held to what KVStore promises: strictly ascending, inside its range, with
// keys and values of a store. A store that gave its pairs in another order would lead to another state, silently, and
// what it makes of a handler would look like the handler's own failure.
type heldIterator struct {
	name       string
	base       Iterator
	start, end []byte
	key, value []byte
	// last is a copy of the key: a store may use the bytes of key again. Empty before the first pair.
	last    []byte
	isEnded bool
}

// iterate opens an iterator of a store; an empty bound is open.
func iterate(name string, store KVStore, start, end []byte) (held *heldIterator, err error) {
	defer recoverStore(name, &err)
	// Stores take nil for an open end, and some refuse an empty key.
	held = &heldIterator{name: name, start: bound(start), end: bound(end)}
	if held.base, err = store.Iterator(held.start, held.end); err != nil {
		return nil, storeError(name, err)
	}
	if held.base == nil {
		return nil, newError(CodeStoreIO, "store %q gave no iterator", name).with("store", name)
	}
	return held, nil
}

// next goes to the first pair, and then to the one after it; false past the last one.
func (i *heldIterator) next() (more bool, err error) {
	if i.isEnded {
		return false, nil
	}
	defer recoverStore(i.name, &err)
	if len(i.last) > 0 {
		i.base.Next()
	}
	if !i.base.Valid() {
		i.isEnded = true
		if err := i.base.Error(); err != nil {
			return false, storeError(i.name, err)
		}
		return false, nil
	}
	i.key, i.value = i.base.Key(), i.base.Value()
	if err := i.requirePair(); err != nil {
		return false, err
	}
	i.last = append(i.last[:0], i.key...)
	return true, nil
}

func (i *heldIterator) requirePair() error {
	if len(i.key) == 0 || len(i.key) > keyBytesMax {
		return storeCorrupt(i.name, "gave a key of %d bytes in a walk; keys have 1 to %d", len(i.key), keyBytesMax)
	}
	isInRange := bytes.Compare(i.key, i.start) >= 0 && (i.end == nil || bytes.Compare(i.key, i.end) < 0)
	if !isInRange || bytes.Compare(i.key, i.last) <= 0 {
		return storeCorrupt(i.name, "gave a key that is out of order or outside the range of a walk: %s", shownKey(i.key))
	}
	if i.value == nil {
		return storeCorrupt(i.name, "gave no value for key %s in a walk: an empty one is an empty slice", shownKey(i.key))
	}
	return requireValue(i.name, i.key, i.value)
}

// close fails with UPG_STORE_IO: what a store could not end well may not have been read well.
func (i *heldIterator) close() (err error) {
	defer recoverStore(i.name, &err)
	if err := i.base.Close(); err != nil {
		return storeError(i.name, err)
	}
	return nil
}

// closeInto is for a defer: the first failure counts.
func (i *heldIterator) closeInto(err *error) {
	if failure := i.close(); *err == nil {
		*err = failure
	}
}

// storedValue is what a store holds under a key; nil: nothing.
func storedValue(name string, store KVStore, key []byte) (value []byte, err error) {
	defer recoverStore(name, &err)
	value, err = store.Get(key)
	if err != nil {
		return nil, storeError(name, err)
	}
	return value, requireValue(name, key, value)
}

func requireValue(name string, key, value []byte) error {
	if len(value) > valueBytesMax {
		return storeCorrupt(name, "gave a value of %d bytes for key %s; values have at most %d", len(value), shownKey(key), valueBytesMax)
	}
	return nil
}

// storeCorrupt is what a store of the caller returned and no store may.
func storeCorrupt(name, format string, args ...any) error {
	return newError(CodeStoreCorrupt, "store %q "+format, append([]any{name}, args...)...).with("store", name)
}

func shownKey(key []byte) string {
	if len(key) > shownKeyBytesMax {
		return hex.EncodeToString(key[:shownKeyBytesMax]) + "…"
	}
	return hex.EncodeToString(key)
}

// bound is nil for an open one.
func bound(key []byte) []byte {
	if len(key) == 0 {
		return nil
	}
	return key
}
