// Package notes is the example chain's own module: short notes, each of an owner. It has two layouts, so that there is
// something to migrate.
//
//	version 1   01 | number (8 bytes, big-endian)                          → length of owner | owner | text
//	version 2   02 | length of owner | owner | number (8, big-endian)      → text
//	both        00                                                         → the next number (8, big-endian)
//
// Version 2 can list an owner's notes without reading those of the others.
package notes

import "encoding/binary"

// ModuleName is the name of the module and of its store.
const ModuleName = "notes"

const (
	nextPrefix    = 0x00
	numberPrefix  = 0x01
	ownerPrefix   = 0x02
	numberLength  = 8
	ownerBytesMax = 255
)

// nextKey has no number in it, so it is less than every note's key.
func nextKey() []byte { return []byte{nextPrefix} }

func numberKey(number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{numberPrefix}, number)
}

func ownerKey(owner string, number uint64) []byte {
	key := append([]byte{ownerPrefix, byte(len(owner))}, owner...)
	return binary.BigEndian.AppendUint64(key, number)
}

// ownerAndText is the value of layout 1.
func ownerAndText(owner, text string) []byte {
	value := append([]byte{byte(len(owner))}, owner...)
	return append(value, text...)
}
