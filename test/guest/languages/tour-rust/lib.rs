//! Everything that the crate has, once: what it must do is in languages.test.ts, and the same in C beside it.
#![no_std]

use chain_upgrade_handler::{context, fail, handler, log, progress, Global, Level, Writer};

handler! {
    plan("tour", 10_000_000_000);
    let bank = store("bank").prefix("01").prefix("02");
    let notes = add_store("notes");
    let after = rename_store("before", "after");
    let auth = read_store("auth");
    delete_store("gone");
    migrate("bank", 1, 2, first);
    migrate("bank", 2, 3, second);
    add_module("notes", 1, genesis);
    remove_module("gone");
    allow("deleteStores", "before");
    allow("writeStores", "after");
    scan(bank, "01", on_pair, on_end);
    scan(auth, "", on_account);
    invariant("moved", is_moved, "nothing was moved");
    invariant("read", is_read);
}

static TOTAL: Global<u64> = Global::new(0);
static ACCOUNTS: Global<u64> = Global::new(0);

fn first() {
    notes.set(b"first", context().chain_id());
}

fn second() {
    let mut value = Writer::<64>::new();
    value
        .be64(context().height() as u64)
        .be64(context().seconds() as u64);
    value
        .be64(context().version("bank"))
        .be64(context().version("nobody"));
    notes.set(b"second", &value);
}

fn genesis() {
    let mut room = [0; 64];
    let mut count = 0;
    let mut pairs = after.scan(b"k", &mut room);
    while let Some((key, value)) = pairs.next_pair() {
        notes.set(key, value);
        count += 1;
    }
    notes.set(b"count", Writer::<8>::new().be64(count));
    let mut value = [0; 16];
    if let Some(length) = after.get(b"k00", &mut value) {
        after.set(b"k00", &value[..length - 1]);
    }
    if after.get(b"absent", &mut value).is_some() || after.has(b"absent") || !after.has(b"k00") {
        fail(2, "what is absent is there");
    }
    after.delete(b"k01");
    notes.set(b"info", context().info());
    notes.set(b"plan", context().plan());
}

fn on_pair(key: &[u8], value: &[u8]) {
    if value == b"bad" {
        fail(7, "a bad value");
    }
    bank.delete(key);
    bank.set(Writer::<64>::new().u8(2).bytes(&key[1..]), value);
    TOTAL.set(TOTAL.get() + value.len() as u64);
}

fn on_end() {
    notes.set(b"total", Writer::<39>::new().decimal(TOTAL.get().into()));
    log(Level::Warn, "the end of a scan");
    progress(1, 2);
}

fn on_account(_: &[u8], _: &[u8]) {
    ACCOUNTS.set(ACCOUNTS.get() + 1);
}

fn is_moved() -> bool {
    bank.any(&[2]) && !bank.any(&[1])
}

fn is_read() -> bool {
    ACCOUNTS.get() == 1
}
