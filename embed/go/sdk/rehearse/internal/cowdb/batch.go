package cowdb

import (
	"bytes"

	dbm "github.com/cosmos/cosmos-db"
)

// batch keeps its operations in their order until they are written.
type batch struct {
	db     *DB
	queued []entry
	size   int
	closed bool
}

var _ dbm.Batch = (*batch)(nil)

// NewBatch collects writes.
func (db *DB) NewBatch() dbm.Batch { return &batch{db: db} }

// NewBatchWithSize is NewBatch.
func (db *DB) NewBatchWithSize(int) dbm.Batch { return db.NewBatch() }

func (b *batch) Set(key, value []byte) error {
	if value == nil {
		return errValueNil
	}
	return b.add(entry{bytes.Clone(key), append(make([]byte, 0, len(value)), value...)})
}

func (b *batch) Delete(key []byte) error { return b.add(entry{key: bytes.Clone(key)}) }

func (b *batch) add(e entry) error {
	if b.closed {
		return errClosed
	}
	if len(e.key) == 0 {
		return errKeyEmpty
	}
	b.queued = append(b.queued, e)
	b.size += len(e.key) + len(e.value)
	return nil
}

func (b *batch) Write() error {
	if b.closed {
		return errClosed
	}
	for _, each := range b.queued {
		b.db.written.Set(each)
	}
	return b.Close()
}

func (b *batch) WriteSync() error { return b.Write() }

func (b *batch) Close() error {
	b.closed, b.queued = true, nil
	return nil
}

func (b *batch) GetByteSize() (int, error) {
	if b.closed {
		return 0, errClosed
	}
	return b.size, nil
}
