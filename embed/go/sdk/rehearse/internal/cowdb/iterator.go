package cowdb

import (
	"bytes"

	dbm "github.com/cosmos/cosmos-db"
	"github.com/tidwall/btree"
)

// Iterator walks start <= key < end as the copy was when the iterator was made.
func (db *DB) Iterator(start, end []byte) (dbm.Iterator, error) {
	if err := checkRange(start, end); err != nil {
		return nil, err
	}
	base, err := db.base.Iterator(start, end)
	if err != nil {
		return nil, err
	}
	return newIterator(db.written.Copy(), base, start, end, false), nil
}

// ReverseIterator walks the same pairs from the last one on.
func (db *DB) ReverseIterator(start, end []byte) (dbm.Iterator, error) {
	if err := checkRange(start, end); err != nil {
		return nil, err
	}
	base, err := db.base.ReverseIterator(start, end)
	if err != nil {
		return nil, err
	}
	return newIterator(db.written.Copy(), base, start, end, true), nil
}

func checkRange(start, end []byte) error {
	if (start != nil && len(start) == 0) || (end != nil && len(end) == 0) {
		return errKeyEmpty
	}
	return nil
}

// iterator merges both: of a key that both have, the written one counts.
type iterator struct {
	start, end []byte
	isReverse  bool
	base       dbm.Iterator
	written    btree.IterG[entry]
	hasWritten bool
	// current is what Key and Value return.
	current entry
	isValid bool
}

func newIterator(written *btree.BTreeG[entry], base dbm.Iterator, start, end []byte, isReverse bool) *iterator {
	it := &iterator{start: start, end: end, isReverse: isReverse, base: base, written: written.Iter()}
	it.hasWritten = it.first()
	it.settle()
	return it
}

// first puts the tree's iterator on the first key of the range in its direction.
func (it *iterator) first() bool {
	var ok bool
	switch {
	case !it.isReverse && it.start == nil:
		ok = it.written.First()
	case !it.isReverse:
		ok = it.written.Seek(entry{key: it.start})
	case it.end == nil:
		ok = it.written.Last()
	default:
		// The first key at or past the end is one too far.
		if ok = it.written.Seek(entry{key: it.end}); ok {
			ok = it.written.Prev()
		} else {
			ok = it.written.Last()
		}
	}
	return ok && it.inRange(it.written.Item().key)
}

func (it *iterator) inRange(key []byte) bool {
	if it.isReverse {
		return it.start == nil || bytes.Compare(key, it.start) >= 0
	}
	return it.end == nil || bytes.Compare(key, it.end) < 0
}

// settle finds the next pair that exists.
func (it *iterator) settle() {
	for {
		it.isValid = it.base.Valid() || it.hasWritten
		if !it.isValid {
			return
		}
		order := it.order()
		if order < 0 {
			// Some databases reuse what they return.
			it.current = entry{bytes.Clone(it.base.Key()), append([]byte{}, it.base.Value()...)}
			it.base.Next()
			return
		}
		it.current = it.written.Item()
		it.stepWritten()
		if order == 0 {
			it.base.Next()
		}
		if it.current.value != nil {
			return
		}
	}
}

// order is below 0 when the base's pair is next, above when the written one is, 0 for the same key.
func (it *iterator) order() int {
	switch {
	case !it.hasWritten:
		return -1
	case !it.base.Valid():
		return 1
	}
	order := bytes.Compare(it.base.Key(), it.written.Item().key)
	if it.isReverse {
		return -order
	}
	return order
}

func (it *iterator) stepWritten() {
	if it.isReverse {
		it.hasWritten = it.written.Prev()
	} else {
		it.hasWritten = it.written.Next()
	}
	it.hasWritten = it.hasWritten && it.inRange(it.written.Item().key)
}

func (it *iterator) Domain() (start, end []byte) { return it.start, it.end }
func (it *iterator) Valid() bool                 { return it.isValid }
func (it *iterator) Error() error                { return it.base.Error() }

func (it *iterator) Next() {
	if !it.isValid {
		panic("the iterator is past its last pair")
	}
	it.settle()
}

func (it *iterator) Key() []byte {
	if !it.isValid {
		panic("the iterator is past its last pair")
	}
	return it.current.key
}

func (it *iterator) Value() []byte {
	if !it.isValid {
		panic("the iterator is past its last pair")
	}
	return it.current.value
}

func (it *iterator) Close() error {
	it.written.Release()
	return it.base.Close()
}
