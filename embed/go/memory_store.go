package upgrade

import (
	"maps"
	"slices"
)

// MemoryStore is a KVStore in memory, for tests and for state that was read from elsewhere. It sorts its keys when it is
// iterated after a write. The zero value is empty and ready.
type MemoryStore struct {
	pairs map[string][]byte
	// keys are all keys in order; nil after a write of another one.
	keys []string
}

// Get returns nil for a key that is absent.
func (m *MemoryStore) Get(key []byte) ([]byte, error) { return m.pairs[string(key)], nil }

// Set copies key and value.
func (m *MemoryStore) Set(key, value []byte) error {
	if m.pairs == nil {
		m.pairs = map[string][]byte{}
	}
	if _, isThere := m.pairs[string(key)]; !isThere {
		m.keys = nil
	}
	m.pairs[string(key)] = append([]byte{}, value...)
	return nil
}

// Delete of an absent key does nothing.
func (m *MemoryStore) Delete(key []byte) error {
	if _, isThere := m.pairs[string(key)]; isThere {
		m.keys = nil
		delete(m.pairs, string(key))
	}
	return nil
}

// Len is how many pairs there are.
func (m *MemoryStore) Len() int { return len(m.pairs) }

// Iterator walks the pairs as they are now.
func (m *MemoryStore) Iterator(start, end []byte) (Iterator, error) {
	if m.keys == nil {
		m.keys = slices.Sorted(maps.Keys(m.pairs))
	}
	from, _ := slices.BinarySearch(m.keys, string(start))
	until := len(m.keys)
	if end != nil {
		until, _ = slices.BinarySearch(m.keys, string(end))
	}
	return &memoryIterator{store: m, keys: m.keys[from:max(from, until)]}, nil
}

type memoryIterator struct {
	store *MemoryStore
	keys  []string
}

func (i *memoryIterator) Valid() bool   { return len(i.keys) > 0 }
func (i *memoryIterator) Next()         { i.keys = i.keys[1:] }
func (i *memoryIterator) Key() []byte   { return []byte(i.keys[0]) }
func (i *memoryIterator) Value() []byte { return i.store.pairs[i.keys[0]] }
func (i *memoryIterator) Error() error  { return nil }
func (i *memoryIterator) Close() error  { return nil }
