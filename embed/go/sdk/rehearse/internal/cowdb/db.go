// Package cowdb is a database over another one that is only read: writes stay in memory and hide what is below them.
package cowdb

import (
	"bytes"
	"errors"

	dbm "github.com/cosmos/cosmos-db"
	"github.com/tidwall/btree"
)

// DB is a copy on write of a database. Closing it leaves the one below open.
type DB struct {
	base dbm.DB
	// The tree locks itself, and a copy of it shares all nodes until one of both changes.
	written *btree.BTreeG[entry]
}

var _ dbm.DB = (*DB)(nil)

// entry with a nil value is a deletion.
type entry struct{ key, value []byte }

var (
	errKeyEmpty = errors.New("a key is empty")
	errValueNil = errors.New("a value is nil")
	errClosed   = errors.New("the batch was written or closed")
)

// New makes a copy of base in which nothing differs yet.
func New(base dbm.DB) *DB {
	return &DB{base: base, written: btree.NewBTreeG(less)}
}

func less(a, b entry) bool { return bytes.Compare(a.key, b.key) < 0 }

// Written is how many keys differ from the database below.
func (db *DB) Written() int { return db.written.Len() }

// Get returns nil for a key that is absent.
func (db *DB) Get(key []byte) ([]byte, error) {
	if len(key) == 0 {
		return nil, errKeyEmpty
	}
	if found, ok := db.written.Get(entry{key: key}); ok {
		return bytes.Clone(found.value), nil
	}
	return db.base.Get(key)
}

// Has is true for a key that has a value.
func (db *DB) Has(key []byte) (bool, error) {
	value, err := db.Get(key)
	return value != nil, err
}

// Set hides the value below.
func (db *DB) Set(key, value []byte) error {
	if len(key) == 0 {
		return errKeyEmpty
	}
	if value == nil {
		return errValueNil
	}
	db.written.Set(entry{bytes.Clone(key), append(make([]byte, 0, len(value)), value...)})
	return nil
}

// SetSync is Set.
func (db *DB) SetSync(key, value []byte) error { return db.Set(key, value) }

// Delete hides the value below.
func (db *DB) Delete(key []byte) error {
	if len(key) == 0 {
		return errKeyEmpty
	}
	db.written.Set(entry{key: bytes.Clone(key)})
	return nil
}

// DeleteSync is Delete.
func (db *DB) DeleteSync(key []byte) error { return db.Delete(key) }

// Close does nothing: the database below is its opener's.
func (db *DB) Close() error { return nil }

// Print does nothing.
func (db *DB) Print() error { return nil }

// Stats are those of the database below.
func (db *DB) Stats() map[string]string { return db.base.Stats() }
