package upgrade

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

// Each gives the final writes to one store, ascending by key: key and value, or a key that was deleted. They are good
// until visit returns. It ends with the first error that visit returns.
func (r *Run) Each(store string, visit func(key, value []byte, deleted bool) error) error {
	if r.isOver {
		return runIsOver()
	}
	handle := r.handles.byName(store)
	if handle == nil {
		return newError(CodeInvalidArgument, "the manifest lists no store %q", store)
	}
	return eachWrite(handle, visit)
}

func runIsOver() error {
	return newError(CodeInvalidArgument, "the run was written or discarded before")
}

func eachWrite(handle *storeHandle, visit func(key, value []byte, deleted bool) error) error {
	cursor, err := handle.overlay.writes.From(nil)
	if err != nil {
		return spillError(err)
	}
	for {
		pair, more, err := cursor.Next()
		if err != nil {
			return spillError(err)
		}
		if !more {
			return nil
		}
		if err := visit(pair.Key, pair.Value, pair.Deleted); err != nil {
			return err
		}
	}
}

// Write hands the final writes to the stores that the run was given: stores by name, keys ascending. The run is over
// then. A store that fails in between leaves what was written before, so give a branch of the chain's state and drop it
// when this returns an error.
func (r *Run) Write() error {
	if r.isOver {
		return runIsOver()
	}
	for _, handle := range r.handles.sorted() {
		if err := writeStore(handle); err != nil {
			_ = r.Discard()
			return err
		}
	}
	return r.Discard()
}

func writeStore(handle *storeHandle) (err error) {
	defer recoverStore(handle.Name, &err)
	return eachWrite(handle, func(key, value []byte, deleted bool) error {
		if deleted {
			err = handle.overlay.base.Delete(key)
		} else {
			err = handle.overlay.base.Set(key, value)
		}
		if err != nil {
			return storeError(handle.Name, err)
		}
		return nil
	})
}

// Discard gives up the writes and removes their files. It may be called again, and after Write.
func (r *Run) Discard() error {
	if r.isOver {
		return nil
	}
	r.isOver = true
	return spillError(r.space.Close())
}

func storeReports(handles *storeHandles) ([]StoreReport, error) {
	var reports []StoreReport
	for _, handle := range handles.sorted() {
		digest := sha256.New()
		err := eachWrite(handle, func(key, value []byte, deleted bool) error {
			return hashWrite(digest, sorted.Pair{Key: key, Value: value, Deleted: deleted})
		})
		if err != nil {
			return nil, err
		}
		reports = append(reports, StoreReport{
			Name: handle.Name, Written: handle.written, Deleted: handle.deleted, Bytes: handle.bytes,
			SHA256: hex.EncodeToString(digest.Sum(nil)),
		})
	}
	return reports, nil
}

// hashWrite adds a write as a handler frames it, for store 0.
func hashWrite(digest hash.Hash, pair sorted.Pair) error {
	var header [frameHeaderBytes]byte
	binary.LittleEndian.PutUint32(header[:], uint32(len(pair.Key)))
	size := frameHeaderBytes
	if pair.Deleted {
		header[3] |= 1 << 6
		size = 4
	}
	binary.LittleEndian.PutUint32(header[4:], uint32(len(pair.Value)))
	for _, part := range [][]byte{header[:size], pair.Key, pair.Value} {
		if _, err := digest.Write(part); err != nil {
			return err
		}
	}
	return nil
}
