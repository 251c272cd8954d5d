package sorted

// Map is sorted writes in memory. Of several to one key the last counts.
type Map struct {
	arena arena
	tree  tree
}

// NewMap returns an empty one.
func NewMap() *Map {
	m := &Map{}
	m.tree = newTree(&m.arena)
	return m
}

// Len is how many keys were written.
func (m *Map) Len() int { return m.tree.count }

// Bytes of memory, about: the slabs, and the tree at its usual filling.
func (m *Map) Bytes() int64 { return m.arena.size + 18*int64(m.tree.count) }

func (m *Map) isFull() bool { return m.arena.isFull() }

// Put writes a pair, or a deletion. Key and value are copied.
func (m *Map) Put(key, value []byte, deleted bool) {
	isLast := m.tree.isLast(key)
	if !isLast {
		leaf := m.tree.leafOf(key)
		if index, found := m.tree.search(leaf, 0, key); found {
			if !m.arena.replace(leaf.at[index], value, deleted) {
				leaf.at[index] = m.arena.add(key, value, deleted)
			}
			return
		}
	}
	m.tree.insert(key, m.arena.add(key, value, deleted), isLast)
}

// Find returns the write to a key.
func (m *Map) Find(key []byte) (Pair, bool) {
	leaf := m.tree.leafOf(key)
	index, found := m.tree.search(leaf, 0, key)
	if !found {
		return Pair{}, false
	}
	return m.arena.pair(leaf.at[index]), true
}

type mapCursor struct {
	arena *arena
	leaf  *node
	index int
}

// from begins at the first key that is not before start; nil: at the first of all.
func (m *Map) from(start []byte) *mapCursor {
	leaf := m.tree.leafOf(start)
	index, _ := m.tree.search(leaf, 0, start)
	return &mapCursor{&m.arena, leaf, index}
}

// next returns the pair that the cursor is on and moves it on.
func (c *mapCursor) next() (Pair, bool, error) {
	for c.leaf != nil && c.index == len(c.leaf.at) {
		c.leaf, c.index = c.leaf.next, 0
	}
	if c.leaf == nil {
		return Pair{}, false, nil
	}
	c.index++
	return c.arena.pair(c.leaf.at[c.index-1]), true, nil
}
