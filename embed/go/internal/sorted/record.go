package sorted

import "encoding/binary"

// Pair is one write: key and value, or a deletion. The bytes are good until the next write.
type Pair struct {
	Key     []byte
	Value   []byte
	Deleted bool
}

type record struct {
	Pair
	size int
}

// Most lengths have one byte.
func uvarint(bytes []byte) (uint64, int) {
	if bytes[0] < 0x80 {
		return uint64(bytes[0]), 1
	}
	return binary.Uvarint(bytes)
}

// parseRecord reads a record that this package wrote.
func parseRecord(bytes []byte) record {
	klen, n := uvarint(bytes)
	mark, m := uvarint(bytes[n:])
	keyAt := n + m
	valueAt := keyAt + int(klen)
	end := valueAt
	if mark > 0 {
		end += int(mark - 1)
	}
	return record{Pair{bytes[keyAt:valueAt], bytes[valueAt:end:end], mark == 0}, end}
}
