package upgrade

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// iavlNode is a node of an IAVL tree, as far as its root hash needs it: leaves have height 0, and a key of an inner node
// is the first one on its right side.
type iavlNode struct {
	key, value  []byte
	version     int64
	height      int8
	size        int64
	left, right *iavlNode
	sum         []byte
}

func iavlLeaf(key, value []byte, version int64) *iavlNode {
	return &iavlNode{key: bytes.Clone(key), value: bytes.Clone(value), version: version, size: 1}
}

// iavlInner makes a node again, in balance.
func iavlInner(key []byte, left, right *iavlNode, version int64) *iavlNode {
	switch balance := left.height - right.height; {
	case balance > 1 && left.left.height >= left.right.height:
		return iavlPlain(left.key, left.left, iavlPlain(key, left.right, right, version), version)
	case balance > 1:
		middle := left.right
		return iavlPlain(middle.key, iavlPlain(left.key, left.left, middle.left, version),
			iavlPlain(key, middle.right, right, version), version)
	case balance < -1 && right.right.height >= right.left.height:
		return iavlPlain(right.key, iavlPlain(key, left, right.left, version), right.right, version)
	case balance < -1:
		middle := right.left
		return iavlPlain(middle.key, iavlPlain(key, left, middle.left, version),
			iavlPlain(right.key, middle.right, right.right, version), version)
	}
	return iavlPlain(key, left, right, version)
}

func iavlPlain(key []byte, left, right *iavlNode, version int64) *iavlNode {
	return &iavlNode{
		key: key, left: left, right: right, version: version,
		height: max(left.height, right.height) + 1, size: left.size + right.size,
	}
}

func (n *iavlNode) set(key, value []byte, version int64) *iavlNode {
	if n == nil {
		return iavlLeaf(key, value, version)
	}
	order := bytes.Compare(key, n.key)
	switch {
	case n.height == 0 && order == 0:
		return iavlLeaf(key, value, version)
	case n.height == 0 && order < 0:
		return iavlPlain(n.key, iavlLeaf(key, value, version), n, version)
	case n.height == 0:
		leaf := iavlLeaf(key, value, version)
		return iavlPlain(leaf.key, n, leaf, version)
	case order < 0:
		return iavlInner(n.key, n.left.set(key, value, version), n.right, version)
	}
	return iavlInner(n.key, n.left, n.right.set(key, value, version), version)
}

// remove returns the tree without a key, and the new first key of a tree that lost its first leaf.
func (n *iavlNode) remove(key []byte, version int64) (rest *iavlNode, first []byte, removed bool) {
	switch {
	case n == nil:
		return nil, nil, false
	case n.height == 0:
		if bytes.Equal(n.key, key) {
			return nil, nil, true
		}
		return n, nil, false
	case bytes.Compare(key, n.key) < 0:
		left, first, removed := n.left.remove(key, version)
		if !removed {
			return n, nil, false
		}
		if left == nil {
			return n.right, n.key, true
		}
		return iavlInner(n.key, left, n.right, version), first, true
	}
	right, first, removed := n.right.remove(key, version)
	if !removed {
		return n, nil, false
	}
	if right == nil {
		return n.left, nil, true
	}
	own := n.key
	if first != nil {
		own = first
	}
	return iavlInner(own, n.left, right, version), nil, true
}

func (n *iavlNode) hash() []byte {
	if n == nil {
		empty := sha256.Sum256(nil)
		return empty[:]
	}
	if n.sum != nil {
		return n.sum
	}
	text := binary.AppendVarint(nil, int64(n.height))
	text = binary.AppendVarint(text, n.size)
	text = binary.AppendVarint(text, n.version)
	parts := [][]byte{n.key, nil}
	if n.height == 0 {
		value := sha256.Sum256(n.value)
		parts[1] = value[:]
	} else {
		parts = [][]byte{n.left.hash(), n.right.hash()}
	}
	for _, part := range parts {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(text)
	n.sum = sum[:]
	return n.sum
}

// rootAfter is the root when the store's pairs are version 1 of a new tree, and the run's final writes version 2.
func rootAfter(r *replay, store KVStore, run *Run, name string) string {
	var tree *iavlNode
	pairs, err := store.Iterator(nil, nil)
	must(r, err)
	for ; pairs.Valid(); pairs.Next() {
		tree = tree.set(pairs.Key(), pairs.Value(), 1)
	}
	must(r, run.Each(name, func(key, value []byte, deleted bool) error {
		if deleted {
			tree, _, _ = tree.remove(key, 2)
		} else {
			tree = tree.set(key, value, 2)
		}
		return nil
	}))
	return hex.EncodeToString(tree.hash())
}
