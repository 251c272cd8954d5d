package sorted

import (
	"bytes"
	"slices"
)

// Entries of a leaf, children of an inner node.
const nodeMax = 128

// node of a B+ tree over addresses of records. Nothing is ever taken out: a deletion is a record too.
type node struct {
	// at are a leaf's records; in an inner node the first record of each child.
	at []uint32
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

// search returns where in a node's records a key is, or would be.
func (t *tree) search(at []uint32, key []byte) (int, bool) {
	low, high := 0, len(at)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch order := bytes.Compare(t.arena.key(at[middle]), key); {
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
	index, found := t.search(n.at[1:], key)
	if found {
		return index + 1
	}
	return index
}

// isLast: the key comes after all others. Many handlers write in ascending order, and nothing needs to be searched then.
func (t *tree) isLast(key []byte) bool {
	at := t.last.at
	return len(at) > 0 && bytes.Compare(t.arena.key(at[len(at)-1]), key) < 0
}

// insert puts in the address of a record whose key is not in the tree.
func (t *tree) insert(key []byte, address uint32, isLast bool) {
	t.count++
	right := t.insertAt(t.root, key, address, isLast)
	if right == nil {
		return
	}
	left := t.root
	t.root = &node{at: []uint32{left.at[0], right.at[0]}, kids: []*node{left, right}}
}

// insertAt returns the new right neighbour of a node that had to be split.
func (t *tree) insertAt(n *node, key []byte, address uint32, isLast bool) *node {
	if n.kids == nil {
		index := len(n.at)
		if !isLast {
			index, _ = t.search(n.at, key)
		}
		n.at = slices.Insert(n.at, index, address)
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
	n.kids = slices.Insert(n.kids, child+1, right)
	return splitInner(n, child+1)
}

func (t *tree) splitLeaf(n *node, added int) *node {
	if len(n.at) <= nodeMax {
		return nil
	}
	middle := splitPoint(len(n.at), added)
	right := &node{at: append(make([]uint32, 0, nodeMax+1), n.at[middle:]...), next: n.next}
	n.at = n.at[:middle]
	n.next = right
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
	right := &node{
		at:   append(make([]uint32, 0, nodeMax+1), n.at[middle:]...),
		kids: append(make([]*node, 0, nodeMax+1), n.kids[middle:]...),
	}
	clear(n.kids[middle:])
	n.at, n.kids = n.at[:middle], n.kids[:middle]
	return right
}

// What is written in ascending order leaves full nodes.
func splitPoint(length, added int) int {
	if added == length-1 {
		return length - 1
	}
	return length / 2
}
