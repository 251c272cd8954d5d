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
	defer recoverStore(o.name, &err)
	value, err = o.base.Get(key)
	if err != nil {
		return nil, false, storeError(o.name, err)
	}
	return value, value != nil, nil
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
	scan = &overlayScan{name: o.name, above: above, end: end, stepAbove: true}
	if len(end) > 0 && bytes.Compare(start, end) >= 0 {
		scan.isDone = true
		return scan, nil
	}
	defer recoverStore(o.name, &err)
	scan.base, err = o.base.Iterator(bound(start), bound(end))
	if err != nil {
		return nil, storeError(o.name, err)
	}
	return scan, nil
}

// bound: stores take nil for an open end, and some refuse an empty key.
func bound(key []byte) []byte {
	if len(key) == 0 {
		return nil
	}
	return key
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
