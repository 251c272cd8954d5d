package upgrade

import (
	"bytes"
	"errors"
	"syscall"

	"github.com/chain-upgrade/chain-upgrade/embed/go/internal/sorted"
)

// overlayStore is a store of the chain with a run's writes over it. Nothing reaches the store below.
type overlayStore struct {
	name   string
	base   KVStore
	writes *sorted.Writes
}

func (o *overlayStore) get(key []byte) (value []byte, ok bool, err error) {
	written, ok, err := o.writes.Find(key)
	if err != nil {
		return nil, false, spillError(err)
	}
	if ok {
		return written.Value, !written.Deleted, nil
	}
	value, err = storedValue(o.name, o.base, key)
	return value, err == nil && value != nil, err
}

func (o *overlayStore) put(key, value []byte) error {
	return spillError(o.writes.Put(key, value, false))
}

func (o *overlayStore) delete(key []byte) error { return spillError(o.writes.Put(key, nil, true)) }

// scan walks start <= key < end; an empty end is open.
func (o *overlayStore) scan(start, end []byte) (scan *overlayScan, err error) {
	above, err := o.writes.From(start)
	if err != nil {
		return nil, spillError(err)
	}
	scan = &overlayScan{above: above, end: end, stepBase: true, stepAbove: true}
	if len(end) > 0 && bytes.Compare(start, end) >= 0 {
		scan.isDone = true
		return scan, nil
	}
	if scan.base, err = iterate(o.name, o.base, start, end); err != nil {
		return nil, err
	}
	return scan, nil
}

// storeError is what a store of the caller failed with: its own error when it is one of ours.
func storeError(name string, cause error) error {
	var own *Error
	if errors.As(cause, &own) {
		return cause
	}
	return newError(CodeStoreIO, "store %q: %v", name, cause).with("store", name).because(cause)
}

// recoverStore makes an error of a store's panic.
func recoverStore(name string, err *error) {
	if thrown := recover(); thrown != nil {
		cause := thrownError(thrown)
		*err = newError(CodeStoreIO, "store %q panicked: %v", name, cause).with("store", name).because(cause)
	}
}

// spillError is what the overlay's own files failed with.
func spillError(cause error) error {
	switch {
	case cause == nil:
		return nil
	case errors.Is(cause, sorted.ErrDisk), errors.Is(cause, syscall.ENOSPC):
		return newError(CodeStoreFull, "the handler's writes have no room: %v. It says nothing about the handler: with more "+
			"allowed, or more space, the same run succeeds", cause).because(cause)
	}
	return newError(CodeStoreIO, "the handler's writes could not be spilled or read back: %v", cause).because(cause)
}
