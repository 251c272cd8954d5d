package sorted

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Entries of a leaf, children of an inner node.
const nodeMax = 128

// node of a B+ tree over addresses of records. Nothing is ever taken out: a deletion is a record too.
type node struct {
	// at are a leaf's records; in an inner node the first record of each child.
	at []uint32
	// hints are the beginnings of their keys: most searches end without a look at a record, which is in no cache.
	hints []uint64
	// kids is nil in a leaf.
	kids []*node
	// next leaf.
	next *node
}

type tree struct {
	arena *arena
	root  *node
	last  *node
	count int
}

func newTree(records *arena) tree {
	leaf := &node{}
	return tree{arena: records, root: leaf, last: leaf}
}

// hintOf is the first eight bytes of a key. Where two hints differ, the keys differ in the same direction.
func hintOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var padded [8]byte
	copy(padded[:], key)
	return binary.BigEndian.Uint64(padded[:])
}

// search returns where among a node's records from the given one on a key is, or would be.
func (t *tree) search(n *node, from int, key []byte) (int, bool) {
	hint := hintOf(key)
	low, high := from, len(n.at)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch order := t.order(n, middle, hint, key); {
		case order == 0:
			return middle, true
		case order < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return low, false
}

// order is below 0 when a node's record comes before the key.
func (t *tree) order(n *node, index int, hint uint64, key []byte) int {
	switch own := n.hints[index]; {
	case own < hint:
		return -1
	case own > hint:
		return 1
	}
	return bytes.Compare(t.arena.key(n.at[index]), key)
}

// leafOf returns the leaf in which a key is or would be.
func (t *tree) leafOf(key []byte) *node {
	n := t.root
	for n.kids != nil {
		n = n.kids[t.childOf(n, key)]
	}
	return n
}

// The first child also takes what comes before its first record.
func (t *tree) childOf(n *node, key []byte) int {
	index, found := t.search(n, 1, key)
	if found {
		return index
	}
	return index - 1
}

// isLast: the key comes after all others. Many handlers write in ascending order, and nothing needs to be searched then.
func (t *tree) isLast(key []byte) bool {
	end := len(t.last.at) - 1
	return end >= 0 && t.order(t.last, end, hintOf(key), key) < 0
}

// insert puts in the address of a record whose key is not in the tree.
func (t *tree) insert(key []byte, address uint32, isLast bool) {
	t.count++
	right := t.insertAt(t.root, key, address, isLast)
	if right == nil {
		return
	}
	left := t.root
	t.root = &node{
		at:    []uint32{left.at[0], right.at[0]},
		hints: []uint64{left.hints[0], right.hints[0]},
		kids:  []*node{left, right},
	}
}

// insertAt returns the new right neighbour of a node that had to be split.
func (t *tree) insertAt(n *node, key []byte, address uint32, isLast bool) *node {
	if n.kids == nil {
		index := len(n.at)
		if !isLast {
			index, _ = t.search(n, 0, key)
		}
		n.at = slices.Insert(n.at, index, address)
		n.hints = slices.Insert(n.hints, index, hintOf(key))
		return t.splitLeaf(n, index)
	}
	child := len(n.kids) - 1
	if !isLast {
		child = t.childOf(n, key)
	}
	right := t.insertAt(n.kids[child], key, address, isLast)
	if right == nil {
		return nil
	}
	n.at = slices.Insert(n.at, child+1, right.at[0])
	n.hints = slices.Insert(n.hints, child+1, right.hints[0])
	n.kids = slices.Insert(n.kids, child+1, right)
	return splitInner(n, child+1)
}

func (t *tree) splitLeaf(n *node, added int) *node {
	if len(n.at) <= nodeMax {
		return nil
	}
	middle := splitPoint(len(n.at), added)
	right := n.cut(middle)
	right.next, n.next = n.next, right
	if t.last == n {
		t.last = right
	}
	return right
}

func splitInner(n *node, added int) *node {
	if len(n.at) <= nodeMax {
		return nil
	}
	middle := splitPoint(len(n.at), added)
	right := n.cut(middle)
	right.kids = append(make([]*node, 0, nodeMax+1), n.kids[middle:]...)
	clear(n.kids[middle:])
	n.kids = n.kids[:middle]
	return right
}

// cut moves the records from the middle on to a new node.
func (n *node) cut(middle int) *node {
	right := &node{
		at:    append(make([]uint32, 0, nodeMax+1), n.at[middle:]...),
		hints: append(make([]uint64, 0, nodeMax+1), n.hints[middle:]...),
	}
	n.at, n.hints = n.at[:middle], n.hints[:middle]
	return right
}

// What is written in ascending or descending order leaves full nodes.
func splitPoint(length, added int) int {
	switch added {
	case length - 1:
		return length - 1
	case 0:
		return 1
	}
	return length / 2
}
