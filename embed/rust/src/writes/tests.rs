//! Writes that are spilled, against a map.

use super::{Met, Space, Writes};
use crate::code::Code;
use crate::store::{Guarded, SharedStore};
use crate::{KVStore, MemoryStore};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

type Model = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A small generator, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Of few letters, so that keys meet again; some are long.
    fn key(&mut self) -> Vec<u8> {
        let short = (0..=self.below(3)).map(|_| self.below(24) as u8).collect::<Vec<_>>();
        if self.below(20) > 0 { short } else { [short, vec![7; 200 + self.below(3_000) as usize]].concat() }
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("chain-upgrade-writes-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn files(&self) -> usize {
        std::fs::read_dir(&self.0).expect("a folder").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn below() -> Guarded {
    let store = MemoryStore::default();
    for key in 0..30 {
        store.set(&[key], b"below").expect("a store in memory");
    }
    Guarded::new("bank", &(Arc::new(store) as SharedStore))
}

fn changes(writes: &Writes, start: &[u8]) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    writes.range(start, None).expect("a walk").owned().collect::<Result<_, _>>().expect("writes")
}

fn compare(seed: u64, spill_each: u64, folder: &Folder) {
    let (mut random, mut model, below) = (Random(seed), Model::new(), below());
    let mut writes = Space::new(1 << 30, Some(&folder.0)).writes();
    for count in 1..=3_000 {
        let key = random.key();
        let value = (random.below(4) > 0).then(|| vec![count as u8; random.below(60) as usize]);
        writes.put(&key, value.as_deref());
        model.insert(key, value);
        if count % spill_each == 0 {
            writes.spill().expect("room");
        }
        if random.below(20) == 0 {
            let key = random.key();
            let due = model.get(&key).cloned().unwrap_or_else(|| below.get(&key).expect("a store in memory"));
            assert_eq!(writes.get(&key, &below).expect("a value"), due);
        }
    }
    assert_eq!(changes(&writes, &[]), model.clone().into_iter().collect::<Vec<_>>());
    for _ in 0..30 {
        let start = random.key();
        assert_eq!(
            changes(&writes, &start),
            model.range(start..).map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>()
        );
    }
    let mut all: Model = (0..30).map(|key| (vec![key], Some(b"below".to_vec()))).collect();
    all.extend(model);
    let (mut walk, mut met) = (writes.merged(&below, &[3], Some(&[20])).expect("a walk"), Vec::new());
    while let Some(each) = walk.next().expect("a pair") {
        if let Met::Pair(key, value) = each {
            met.push((key.into_owned(), Some(value.into_owned())));
        }
    }
    let due = all.range(vec![3]..vec![20]).filter(|(_, value)| value.is_some());
    assert_eq!(met, due.map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>());
}

#[test]
fn writes_of_any_order_spilled_at_any_time_are_the_last_of_each_key() {
    let folder = Folder::new("model");
    for seed in 0..4 {
        for spill_each in [u64::MAX, 700, 41] {
            compare(seed, spill_each, &folder);
        }
    }
    assert_eq!(folder.files(), 0);
}

#[test]
fn spill_beyond_the_disk_or_into_a_folder_that_is_absent_is_refused_as_an_error_of_this_machine() {
    let folder = Folder::new("full");
    let spill = |bytes, dir: PathBuf| {
        let mut writes = Space::new(bytes, Some(&dir)).writes();
        writes.put(&[1], Some(&[0; 5_000]));
        writes.spill().expect_err("no room")
    };
    let full = spill(5_000, folder.0.clone());
    assert_eq!(full.code(), Code::StoreFull);
    let absent = spill(1 << 20, folder.0.join("absent"));
    assert_eq!(absent.code(), Code::StoreIo);
    for error in [full, absent] {
        assert!(error.to_string().contains("says nothing about the handler"), "{error}");
    }
    assert_eq!(folder.files(), 0);
}

#[test]
fn a_file_that_somebody_changed_is_an_error() {
    let folder = Folder::new("damage");
    let space = Space::new(1 << 20, Some(&folder.0));
    let mut writes = space.writes();
    writes.put(b"key", Some(&[1; 100]));
    writes.spill().expect("room");
    assert_eq!(writes.get(b"key", &below()).expect("a value"), Some(vec![1; 100]));
    assert!(space.bytes() > 100);
    writes.files[0].damage();
    assert_eq!(writes.get(b"key", &below()).expect_err("damage").code(), Code::StoreIo);
    assert_eq!(writes.all().err().map(|error| error.code()), Some(Code::StoreIo));
    drop(writes);
    assert_eq!(space.bytes(), 0);
}
