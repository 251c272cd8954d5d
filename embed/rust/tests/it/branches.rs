//! Branches: what they show is what the store would be after they are written.

use crate::support::dump;
use chain_upgrade::{Branch, KVStore, MemoryStore, SharedStore};
use std::sync::Arc;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn key(&mut self) -> Vec<u8> {
        (0..=self.below(3)).map(|_| u8::try_from(self.below(4)).expect("below 4")).collect()
    }
}

#[test]
fn branch_reads_and_walks_after_random_writes_are_those_of_a_store_that_was_written_to() {
    let mut numbers = Numbers(1);
    for round in 0..200 {
        let (model, below): (_, SharedStore) = (MemoryStore::default(), Arc::new(MemoryStore::default()));
        for _ in 0..numbers.below(40) {
            let key = numbers.key();
            model.set(&key, b"below").expect("a model");
            below.set(&key, b"below").expect("a store");
        }
        let middle: SharedStore = Arc::new(Branch::new("middle", &below));
        let branch = Branch::new("top", &middle);
        // First to the branch in the middle, then to the one above it, which hides what is below.
        for over in [&*middle, &branch as &dyn KVStore] {
            for _ in 0..numbers.below(30) {
                let (key, deletes) = (numbers.key(), numbers.below(3) == 0);
                for store in [over, &model] {
                    if deletes { store.delete(&key) } else { store.set(&key, b"above") }.expect("a write");
                }
            }
        }
        assert_eq!(dump(&branch), dump(&model), "round {round}");
        let (start, end) = (numbers.key(), numbers.key());
        let walk = |store: &dyn KVStore| {
            store.iterate(&start, Some(&end)).expect("a walk").collect::<Result<Vec<_>, _>>().expect("pairs")
        };
        assert_eq!(walk(&branch), walk(&model), "round {round}");
        for _ in 0..10 {
            let key = numbers.key();
            assert_eq!(branch.get(&key).expect("a value"), model.get(&key).expect("a value"));
        }
        branch.write().expect("a write");
        assert!(branch.is_empty());
        assert_eq!(dump(&*middle), dump(&model), "round {round}");
    }
}
