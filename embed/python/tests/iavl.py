"""The root of an IAVL+ tree, for the roots of handler-cases.json: a tree without disk, proofs or older versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from chain_upgrade.wire import varint


@dataclass
class Node:
    """A leaf has a value and no children; an inner node's key is the first one of its right side."""

    key: bytes
    version: int
    value: bytes = b""
    left: Node | None = None
    right: Node | None = None
    height: int = 0
    size: int = 1

    def sides(self) -> tuple[Node, Node]:
        assert self.left and self.right
        return self.left, self.right

    def digest(self) -> bytes:
        head = _signed(self.height) + _signed(self.size) + _signed(self.version)
        if self.height == 0:
            parts = (self.key, hashlib.sha256(self.value).digest())
        else:
            left, right = self.sides()
            parts = (left.digest(), right.digest())
        return hashlib.sha256(head + b"".join(varint(len(part)) + part for part in parts)).digest()


def _signed(number: int) -> bytes:
    """A varint with a sign: zigzag."""
    return varint(number << 1)


def _inner(key: bytes, left: Node, right: Node, version: int) -> Node:
    height = max(left.height, right.height) + 1
    return Node(key, version, left=left, right=right, height=height, size=left.size + right.size)


def _balanced(node: Node) -> Node:
    """Rotated until its sides differ by one at most; what is rotated is of this version."""
    left, right = node.sides()
    version = node.version
    if left.height - right.height > 1:
        if left.sides()[0].height < left.sides()[1].height:
            left = _rotated_left(left, version)
        return _rotated_right(_inner(node.key, left, right, version), version)
    if right.height - left.height > 1:
        if right.sides()[0].height > right.sides()[1].height:
            right = _rotated_right(right, version)
        return _rotated_left(_inner(node.key, left, right, version), version)
    return node


def _rotated_right(node: Node, version: int) -> Node:
    left, right = node.sides()
    outer, middle = left.sides()
    return _inner(left.key, outer, _inner(node.key, middle, right, version), version)


def _rotated_left(node: Node, version: int) -> Node:
    left, right = node.sides()
    middle, outer = right.sides()
    return _inner(right.key, _inner(node.key, left, middle, version), outer, version)


def _set(node: Node | None, key: bytes, value: bytes, version: int) -> Node:
    new = Node(key, version, value)
    if node is None or (node.height == 0 and node.key == key):
        return new
    if node.height == 0:
        return _inner(node.key, new, node, version) if key < node.key else _inner(key, node, new, version)
    left, right = node.sides()
    if key < node.key:
        return _balanced(_inner(node.key, _set(left, key, value, version), right, version))
    return _balanced(_inner(node.key, left, _set(right, key, value, version), version))


def _remove(node: Node, key: bytes, version: int) -> tuple[Node | None, bytes | None]:
    """What is left, and the first key of it when that has changed. The key is there."""
    if node.height == 0:
        return None, None
    left, right = node.sides()
    if key < node.key:
        rest, first = _remove(left, key, version)
        if rest is None:
            return right, node.key
        return _balanced(_inner(node.key, rest, right, version)), first
    rest, first = _remove(right, key, version)
    if rest is None:
        return left, None
    return _balanced(_inner(first or node.key, left, rest, version)), None


def _has(node: Node | None, key: bytes) -> bool:
    while node is not None and node.height > 0:
        node = node.sides()[0 if key < node.key else 1]
    return node is not None and node.key == key


def root_after(before: Iterable[tuple[bytes, bytes]], writes: Iterable[tuple[bytes, bytes | None]]) -> str:
    """Hex: the pairs before are version 1 of a new tree, the writes (None: deleted) version 2, both ascending."""
    root: Node | None = None
    for key, value in before:
        root = _set(root, key, value, 1)
    for key, changed in writes:
        if changed is not None:
            root = _set(root, key, changed, 2)
        elif root is not None and _has(root, key):
            root, _ = _remove(root, key, 2)
    return (hashlib.sha256(b"").digest() if root is None else root.digest()).hex()
