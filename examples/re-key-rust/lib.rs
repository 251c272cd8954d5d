//! re-key, the same migration as its AssemblyScript twin beside it, with the crate chain-upgrade-handler.
//!
//!     cargo build --release --target wasm32-unknown-unknown
//!
//!   names  01 | owner           → name      is gone
//!   names  02 | length | owner  → name      is new
#![no_std]

use chain_upgrade_handler::{fail, handler, Writer};

const OWNER_BYTES_MAX: usize = 255;

handler! {
    plan("re-key", 50_000_000_000);
    let names = store("names").prefix("01").prefix("02");
    migrate("names", 1, 2);
    scan(names, "01", move_name);
    invariant("old-keys", is_no_old_key_left, "a pair is still under its old key");
}

fn move_name(old: &[u8], name: &[u8]) {
    let owner = &old[1..];
    if owner.is_empty() || owner.len() > OWNER_BYTES_MAX {
        fail(1, "an owner has 1 to 255 bytes");
    }
    names.delete(old);
    let mut key = Writer::<{ 2 + OWNER_BYTES_MAX }>::new();
    names.set(key.u8(0x02).u8(owner.len() as u8).bytes(owner), name);
}

fn is_no_old_key_left() -> bool {
    !names.any(&[0x01])
}
