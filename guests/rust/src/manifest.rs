//! The manifest, made while the handler compiles: what cannot be is a compile error.

use crate::declaration::{Declaration, Step, Upgrade};
use crate::rules::check;
use crate::text::{same, Text};

/// The manifest's JSON of a declaration.
pub const fn manifest(handler: &Declaration) -> Text {
    check(handler);
    let mut text = Text::new();
    text.raw("{\"abi\":1,\"name\":");
    text.string(handler.plan);
    text.raw(",\"gasLimit\":");
    text.number(handler.gas_limit);
    stores(&mut text, handler);
    store_upgrades(&mut text, handler);
    versions(&mut text, handler.steps);
    text.raw(",\"removes\":");
    text.strings(handler.removes);
    scans(&mut text, handler);
    allows(&mut text, handler);
    text.byte(b'}');
    text
}

const fn stores(text: &mut Text, handler: &Declaration) {
    text.raw(",\"stores\":[");
    let mut i = 0;
    while i < handler.stores.len() {
        let store = &handler.stores[i];
        text.comma(i);
        text.raw("{\"name\":");
        text.string(store.name);
        text.raw(",\"access\":");
        text.string(store.access);
        if !store.prefixes.is_empty() {
            text.raw(",\"prefixes\":");
            text.strings(store.prefixes);
        }
        text.byte(b'}');
        i += 1;
    }
    text.byte(b']');
}

const fn store_upgrades(text: &mut Text, handler: &Declaration) {
    text.raw(",\"storeUpgrades\":{\"added\":[");
    let mut i = 0;
    let mut written = 0;
    while i < handler.stores.len() {
        if let Upgrade::Added = handler.stores[i].upgrade {
            text.comma(written);
            text.string(handler.stores[i].name);
            written += 1;
        }
        i += 1;
    }
    text.raw("],\"renamed\":[");
    i = 0;
    written = 0;
    while i < handler.stores.len() {
        if let Upgrade::Renamed(before) = handler.stores[i].upgrade {
            text.comma(written);
            text.raw("{\"old_key\":");
            text.string(before);
            text.raw(",\"new_key\":");
            text.string(handler.stores[i].name);
            text.byte(b'}');
            written += 1;
        }
        i += 1;
    }
    text.raw("],\"deleted\":");
    text.strings(handler.deleted);
    text.byte(b'}');
}

/// A module's steps together: where they begin, and where the last of them ends.
const fn versions(text: &mut Text, steps: &[Step]) {
    text.raw(",\"versions\":{");
    let mut i = 0;
    let mut written = 0;
    while i < steps.len() {
        let step = &steps[i];
        assert!(
            step.to > step.from,
            "a step goes up: migrate(module, from, to) with from below to"
        );
        if first_of(steps, step.module) == i {
            text.comma(written);
            text.string(step.module);
            text.byte(b':');
            module(text, steps, step.module);
            written += 1;
        }
        i += 1;
    }
    text.byte(b'}');
}

const fn module(text: &mut Text, steps: &[Step], name: &str) {
    let mut to = 0;
    let mut count = 0;
    let mut is_new = false;
    let mut i = 0;
    text.byte(b'{');
    while i < steps.len() {
        if same(steps[i].module, name) {
            is_new |= steps[i].from == 0;
            text.raw(if count == 0 && steps[i].from > 0 {
                "\"from\":["
            } else {
                ""
            });
            if steps[i].from > 0 {
                text.comma(count);
                text.number(steps[i].from);
            }
            if steps[i].to > to {
                to = steps[i].to;
            }
            count += 1;
        }
        i += 1;
    }
    i = 0;
    while i < steps.len() {
        let ends =
            !same(steps[i].module, name) || steps[i].to == to || begins(steps, name, steps[i].to);
        assert!(
            ends,
            "a step of a module ends where no other begins, and not at its last version"
        );
        i += 1;
    }
    assert!(
        !is_new || count == 1,
        "a module is both migrated and new, or new twice"
    );
    text.raw(if is_new { "" } else { "]," });
    text.raw("\"to\":");
    text.number(to);
    text.byte(b'}');
}

const fn begins(steps: &[Step], module: &str, version: u64) -> bool {
    let mut i = 0;
    while i < steps.len() {
        if same(steps[i].module, module) && steps[i].from == version {
            return true;
        }
        i += 1;
    }
    false
}

const fn first_of(steps: &[Step], module: &str) -> usize {
    let mut i = 0;
    while !same(steps[i].module, module) {
        i += 1;
    }
    i
}

const fn scans(text: &mut Text, handler: &Declaration) {
    text.raw(",\"scans\":[");
    let mut i = 0;
    while i < handler.scans.len() {
        let scan = &handler.scans[i];
        let store = &handler.stores[scan.store as usize];
        assert!(
            !matches!(store.upgrade, Upgrade::Added),
            "a scan of a store that this upgrade adds would meet no pair"
        );
        text.comma(i);
        text.raw("{\"store\":");
        text.string(store.name);
        if !scan.prefix.is_empty() {
            text.raw(",\"prefix\":");
            text.string(scan.prefix);
        }
        text.byte(b'}');
        i += 1;
    }
    text.byte(b']');
}

const LISTS: [&str; 4] = ["deleteStores", "removeModules", "writeStores", "keepStores"];

const fn allows(text: &mut Text, handler: &Declaration) {
    text.raw(",\"allows\":{");
    let mut written = 0;
    let mut i = 0;
    while i < LISTS.len() {
        written += allowed(text, handler, LISTS[i], written);
        i += 1;
    }
    i = 0;
    while i < handler.allows.len() {
        let what = handler.allows[i].what;
        let is_list = same(what, LISTS[0]) || same(what, LISTS[1]) || same(what, LISTS[2]);
        if !is_list {
            text.comma(written);
            text.raw("\"emptyVersionMap\":true");
            written += 1;
        }
        i += 1;
    }
    text.byte(b'}');
}

/// The names of one list; returns whether there are any.
const fn allowed(text: &mut Text, handler: &Declaration, what: &str, written: usize) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < handler.allows.len() {
        if same(handler.allows[i].what, what) {
            if count == 0 {
                text.comma(written);
                text.string(what);
                text.raw(":[");
            } else {
                text.byte(b',');
            }
            text.string(handler.allows[i].name);
            count += 1;
        }
        i += 1;
    }
    if count > 0 {
        text.byte(b']');
    }
    (count > 0) as usize
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
