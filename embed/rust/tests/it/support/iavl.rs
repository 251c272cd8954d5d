//! An IAVL tree, as far as the root of two versions needs it: pairs are set in version 1, the last writes made in version 2.

use chain_upgrade::Pair;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;

struct Node {
    /// Of an inner node: the least key on its right.
    key: Vec<u8>,
    /// Of a leaf; inner nodes have children.
    value: Vec<u8>,
    children: Option<Box<(Node, Node)>>,
    version: i64,
    height: i64,
    size: i64,
}

/// The root after the pairs were set as version 1, ascending, and the writes made as version 2, ascending.
pub fn root<'a>(pairs: &[Pair], writes: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>) -> Vec<u8> {
    let mut tree = pairs.iter().fold(None, |tree, (key, value)| Some(set(tree, leaf(key, value, 1))));
    for (key, value) in writes {
        tree = match value {
            Some(value) => Some(set(tree, leaf(key, value, 2))),
            None => remove(tree, key),
        };
    }
    tree.map_or_else(|| Sha256::digest([]).to_vec(), |tree| tree.hash())
}

fn leaf(key: &[u8], value: &[u8], version: i64) -> Node {
    Node { key: key.to_vec(), value: value.to_vec(), children: None, version, height: 0, size: 1 }
}

/// Inner nodes are made again by whatever changes below them, so they get that version.
fn inner(key: Vec<u8>, left: Node, right: Node, version: i64) -> Node {
    let height = 1 + left.height.max(right.height);
    let size = left.size + right.size;
    Node { key, value: Vec::new(), children: Some(Box::new((left, right))), version, height, size }
}

fn set(tree: Option<Node>, new: Node) -> Node {
    let Some(mut node) = tree else { return new };
    let version = new.version;
    let Some(children) = node.children.take() else {
        return match new.key.cmp(&node.key) {
            Ordering::Less => inner(node.key.clone(), new, node, version),
            Ordering::Equal => new,
            Ordering::Greater => inner(new.key.clone(), node, new, version),
        };
    };
    let (left, right) = *children;
    let is_left = new.key < node.key;
    let (left, right) = if is_left { (set(Some(left), new), right) } else { (left, set(Some(right), new)) };
    balanced(inner(node.key, left, right, version), version)
}

/// Nothing is made again for a key that is absent.
fn remove(tree: Option<Node>, key: &[u8]) -> Option<Node> {
    tree.and_then(|tree| if tree.has(key) { without(tree, key).0 } else { Some(tree) })
}

/// What is left, and the new least key of it where that changed.
fn without(mut node: Node, key: &[u8]) -> (Option<Node>, Option<Vec<u8>>) {
    const VERSION: i64 = 2;
    let Some(children) = node.children.take() else { return (None, None) };
    let (left, right) = *children;
    if key < node.key.as_slice() {
        return match without(left, key) {
            (None, _) => (Some(right), Some(node.key)),
            (Some(left), least) => (Some(balanced(inner(node.key, left, right, VERSION), VERSION)), least),
        };
    }
    match without(right, key) {
        (None, _) => (Some(left), None),
        (Some(right), least) => {
            let key = least.unwrap_or(node.key);
            (Some(balanced(inner(key, left, right, VERSION), VERSION)), None)
        }
    }
}

fn balanced(node: Node, version: i64) -> Node {
    let (left_heavy, right_heavy) = (node.balance() > 1, node.balance() < -1);
    if !left_heavy && !right_heavy {
        return node;
    }
    let (key, left, right) = node.parts();
    if left_heavy {
        let left = if left.balance() < 0 { rotated_left(left, version) } else { left };
        return rotated_right(inner(key, left, right, version), version);
    }
    let right = if right.balance() > 0 { rotated_right(right, version) } else { right };
    rotated_left(inner(key, left, right, version), version)
}

fn rotated_right(node: Node, version: i64) -> Node {
    let (key, left, right) = node.parts();
    let (left_key, first, second) = left.parts();
    inner(left_key, first, inner(key, second, right, version), version)
}

fn rotated_left(node: Node, version: i64) -> Node {
    let (key, left, right) = node.parts();
    let (right_key, first, second) = right.parts();
    inner(right_key, inner(key, left, first, version), second, version)
}

impl Node {
    fn parts(self) -> (Vec<u8>, Node, Node) {
        let (left, right) = *self.children.expect("only inner nodes are turned");
        (self.key, left, right)
    }

    fn balance(&self) -> i64 {
        self.children.as_ref().map_or(0, |children| children.0.height - children.1.height)
    }

    fn has(&self, key: &[u8]) -> bool {
        match &self.children {
            None => self.key == key,
            Some(children) if key < self.key.as_slice() => children.0.has(key),
            Some(children) => children.1.has(key),
        }
    }

    fn hash(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [self.height, self.size, self.version] {
            // Zigzag: none of these is below 0.
            varint(&mut bytes, number.cast_unsigned() << 1);
        }
        let parts = match &self.children {
            None => [self.key.clone(), Sha256::digest(&self.value).to_vec()],
            Some(children) => [children.0.hash(), children.1.hash()],
        };
        for part in parts {
            varint(&mut bytes, part.len() as u64);
            bytes.extend(part);
        }
        Sha256::digest(bytes).to_vec()
    }
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).expect("7 bits") | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).expect("7 bits"));
}
