// Package sorted keeps writes to a key-value store in order of their keys: in memory as a tree over slabs of bytes, and
// when that has grown large, in sorted files.
package sorted

import "encoding/binary"

const (
	slabBits = 20
	slabSize = 1 << slabBits
	// A record above this has a slab of its own, so that little of a slab is left empty at its end.
	aloneSize = slabSize / 4
	firstSlab = 4096
	slabsMax  = 1 << (32 - slabBits)
)

// arena holds records: uvarint klen, uvarint vlen + 1 (0: a deletion), key, value. An address is a slab's number and
// where in the slab the record begins; a pair so costs its bytes, two or three more, and its address in the tree.
type arena struct {
	slabs [][]byte
	// open is the slab that takes the next small record.
	open int
	size int64
}

func recordSize(key, value []byte, deleted bool) int {
	return uvarintSize(uint64(len(key))) + uvarintSize(lengthMark(value, deleted)) + len(key) + len(value)
}

func uvarintSize(n uint64) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

func lengthMark(value []byte, deleted bool) uint64 {
	if deleted {
		return 0
	}
	return uint64(len(value)) + 1
}

func appendRecord(to, key, value []byte, deleted bool) []byte {
	to = binary.AppendUvarint(to, uint64(len(key)))
	to = binary.AppendUvarint(to, lengthMark(value, deleted))
	to = append(to, key...)
	return append(to, value...)
}

// isFull: the next record might have no address.
func (a *arena) isFull() bool { return len(a.slabs) >= slabsMax-1 }

func (a *arena) add(key, value []byte, deleted bool) uint32 {
	size := recordSize(key, value, deleted)
	slab := a.slabFor(size)
	at := len(a.slabs[slab])
	a.slabs[slab] = appendRecord(a.slabs[slab], key, value, deleted)
	return uint32(slab<<slabBits | at)
}

func (a *arena) slabFor(size int) int {
	if size > aloneSize {
		return a.grow(size)
	}
	if len(a.slabs) == 0 || cap(a.slabs[a.open])-len(a.slabs[a.open]) < size {
		a.open = a.grow(max(size, a.nextSlab()))
	}
	return a.open
}

// A few writes take little; many take slabs of a mebibyte.
func (a *arena) nextSlab() int {
	return int(min(slabSize, max(firstSlab, a.size/2)))
}

func (a *arena) grow(size int) int {
	a.slabs = append(a.slabs, make([]byte, 0, size))
	a.size += int64(size)
	return len(a.slabs) - 1
}

// replace writes a record over one of the same key and size; false, and nothing happens, when sizes differ.
func (a *arena) replace(address uint32, value []byte, deleted bool) bool {
	old := a.pair(address)
	if old.Deleted != deleted || len(old.Value) != len(value) {
		return false
	}
	copy(old.Value, value)
	return true
}

func (a *arena) from(address uint32) []byte {
	return a.slabs[address>>slabBits][address&(slabSize-1):]
}

func (a *arena) key(address uint32) []byte {
	bytes := a.from(address)
	klen, n := uvarint(bytes)
	_, m := uvarint(bytes[n:])
	return bytes[n+m : n+m+int(klen)]
}

func (a *arena) pair(address uint32) Pair { return parseRecord(a.from(address)).Pair }
