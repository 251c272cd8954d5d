package upgrade

// KVStore is what a chain gives: an ordered store of byte keys, ascending bytewise. A store of the Cosmos SDK, LevelDB
// or a map with sorted keys is one in a few lines. Methods may keep no reference to what they are given, and what they
// return must stay as it is until the next call.
type KVStore interface {
	// Get returns nil for a key that is absent, and an empty slice for an empty value.
	Get(key []byte) ([]byte, error)
	Set(key, value []byte) error
	// Delete of an absent key does nothing.
	Delete(key []byte) error
	// Iterator walks start <= key < end, strictly ascending; nil is open. It is closed before the store is written to. A
	// store that gives other pairs ends a run with UPG_STORE_CORRUPT.
	Iterator(start, end []byte) (Iterator, error)
}

// Iterator is on its first pair when it is made, if there is one.
type Iterator interface {
	// Valid is false after the last pair, and after a failure, which Error then returns.
	Valid() bool
	Next()
	// Key and Value are good until Next: keys of 1 to 65,535 bytes, values of at most 1 MiB, never nil.
	Key() []byte
	Value() []byte
	Error() error
	// Close ends the walk. What it fails with ends a run with UPG_STORE_IO, as every other failure of a store.
	Close() error
}

// Stores are a chain's stores by name.
type Stores map[string]KVStore
