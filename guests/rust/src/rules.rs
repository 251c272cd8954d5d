//! What a node asks of a manifest (docs/abi.md), asked while the handler compiles: each rule that is broken is a compile error.

use crate::declaration::{Declaration, StoreDeclaration, Upgrade};
use crate::hex::{check_hex, starts_with};
use crate::names::{check_name, check_store_name};
use crate::text::same;

const GAS_MAX: u64 = 1_000_000_000_000;
const LIST_MAX: usize = 64;
/// The store of the upgrade module.
const UPGRADE: &str = "upgrade";

/// Panics with the rule that is broken.
pub(crate) const fn check(handler: &Declaration) {
    check_name(handler.plan);
    assert!(
        handler.gas_limit > 0 && handler.gas_limit <= GAS_MAX,
        "plan: the gas is at least 1 and at most 1,000,000,000,000"
    );
    stores(handler);
    store_upgrades(handler);
    modules(handler);
    scans(handler);
    allows(handler);
}

const fn stores(handler: &Declaration) {
    assert!(handler.stores.len() <= LIST_MAX, "more than 64 stores");
    let mut i = 0;
    while i < handler.stores.len() {
        let store = &handler.stores[i];
        check_store_name(store.name);
        assert!(
            !same(store.name, UPGRADE) || same(store.access, "r"),
            "the store \"upgrade\" belongs to the upgrade module: read_store is all there is"
        );
        let mut j = 0;
        while j < i {
            assert!(
                !same(handler.stores[j].name, store.name),
                "a store is declared twice"
            );
            j += 1;
        }
        prefixes(store.prefixes);
        i += 1;
    }
}

const fn prefixes(list: &[&str]) {
    assert!(list.len() <= LIST_MAX, "a store has more than 64 prefixes");
    let mut i = 0;
    while i < list.len() {
        check_hex(list[i]);
        let mut j = 0;
        while j < i {
            assert!(
                !starts_with(list[i], list[j]) && !starts_with(list[j], list[i]),
                "a prefix of a store begins with another of the same store, or equals it"
            );
            j += 1;
        }
        i += 1;
    }
}

/// A store occurs once among those that are added, renamed (with both names) and deleted; one that is gone is not declared.
const fn store_upgrades(handler: &Declaration) {
    let mut i = 0;
    while i < handler.deleted.len() {
        check_store_name(handler.deleted[i]);
        gone(handler, handler.deleted[i], "delete_store");
        i += 1;
    }
    i = 0;
    while i < handler.stores.len() {
        if let Upgrade::Renamed(before) = handler.stores[i].upgrade {
            check_store_name(before);
            gone(handler, before, "rename_store");
        }
        i += 1;
    }
}

const fn gone(handler: &Declaration, name: &str, by: &str) {
    assert!(
        !same(name, UPGRADE),
        "the store \"upgrade\" belongs to the upgrade module: it is not deleted or renamed"
    );
    let mut times = 0;
    let mut i = 0;
    while i < handler.deleted.len() {
        times += same(handler.deleted[i], name) as usize;
        i += 1;
    }
    i = 0;
    while i < handler.stores.len() {
        let store = &handler.stores[i];
        assert!(
            !same(store.name, name) || !same(by, "delete_store"),
            "delete_store: the store is gone before the handler runs, so it cannot be declared as well"
        );
        assert!(
            !same(store.name, name),
            "rename_store: the old name is gone before the handler runs, so it cannot be declared as well"
        );
        if let Upgrade::Renamed(before) = store.upgrade {
            times += same(before, name) as usize;
        }
        i += 1;
    }
    assert!(times == 1, "a store is deleted or renamed twice");
}

const fn modules(handler: &Declaration) {
    let mut i = 0;
    while i < handler.steps.len() {
        let step = &handler.steps[i];
        check_name(step.module);
        let mut j = 0;
        while j < i {
            let other = &handler.steps[j];
            assert!(
                !same(other.module, step.module) || other.from != step.from,
                "two steps of a module begin at the same version"
            );
            j += 1;
        }
        assert!(
            !has(handler.removes, step.module),
            "a module is removed, and migrated or new"
        );
        i += 1;
    }
    i = 0;
    while i < handler.removes.len() {
        check_name(handler.removes[i]);
        assert!(
            count(handler.removes, handler.removes[i]) == 1,
            "a module is removed twice"
        );
        i += 1;
    }
}

const fn scans(handler: &Declaration) {
    assert!(handler.scans.len() <= LIST_MAX, "more than 64 scans");
    let mut i = 0;
    while i < handler.scans.len() {
        let scan = &handler.scans[i];
        if !scan.prefix.is_empty() {
            check_hex(scan.prefix);
        }
        let given = handler.stores[scan.store as usize].prefixes;
        let mut is_given = given.is_empty();
        let mut j = 0;
        while j < given.len() {
            is_given |= starts_with(scan.prefix, given[j]);
            j += 1;
        }
        assert!(
            is_given,
            "scan: its prefix is outside the prefixes of its store"
        );
        i += 1;
    }
}

/// A permission for what the handler does not do has no meaning.
const fn allows(handler: &Declaration) {
    let mut i = 0;
    while i < handler.allows.len() {
        let allowed = &handler.allows[i];
        let mut j = 0;
        while j < i {
            let other = &handler.allows[j];
            let is_twice = same(other.what, allowed.what) && same(other.name, allowed.name);
            assert!(!is_twice, "allow: the same is allowed twice");
            j += 1;
        }
        assert!(
            does(handler, allowed.what, allowed.name),
            "allow: the handler does not do what is allowed"
        );
        i += 1;
    }
}

const fn does(handler: &Declaration, what: &str, name: &str) -> bool {
    if same(what, "deleteStores") {
        return has(handler.deleted, name) || renamed(handler, name).is_some();
    }
    if same(what, "keepStores") {
        let is_gone = has(handler.deleted, name) || renamed(handler, name).is_some();
        return !handler.removes.is_empty() && !is_gone;
    }
    if same(what, "removeModules") {
        return has(handler.removes, name);
    }
    if !same(what, "writeStores") {
        assert!(
            same(what, "emptyVersionMap"),
            "allow: deleteStores, removeModules, writeStores, keepStores, emptyVersionMap"
        );
        assert!(
            name.is_empty(),
            "allow: emptyVersionMap is allowed without a name"
        );
        return true;
    }
    let mut i = 0;
    while i < handler.stores.len() {
        if same(handler.stores[i].name, name) {
            return same(handler.stores[i].access, "rw");
        }
        i += 1;
    }
    match renamed(handler, name) {
        Some(store) => same(store.access, "rw"),
        None => false,
    }
}

/// The store that had this name before the upgrade.
const fn renamed<'a>(handler: &'a Declaration, before: &str) -> Option<&'a StoreDeclaration> {
    let mut i = 0;
    while i < handler.stores.len() {
        if let Upgrade::Renamed(old) = handler.stores[i].upgrade {
            if same(old, before) {
                return Some(&handler.stores[i]);
            }
        }
        i += 1;
    }
    None
}

const fn count(list: &[&str], name: &str) -> usize {
    let mut found = 0;
    let mut i = 0;
    while i < list.len() {
        found += same(list[i], name) as usize;
        i += 1;
    }
    found
}

const fn has(list: &[&str], name: &str) -> bool {
    count(list, name) > 0
}
