//! Upgrade handlers for blockchains, in Rust without a standard library: one `.wasm` that migrates the state of a chain in
//! its upgrade block. What a handler is and how it is tested: `docs/write-a-handler.md`; the interface beneath:
//! `docs/abi.md` of the repository.
//!
//! A handler is a declaration and the functions that it names:
//!
//! ```ignore
//! #![no_std]
//! use chain_upgrade_handler::{fail, handler, Writer};
//!
//! handler! {
//!     plan("v3", 20_000_000_000);
//!     let bank = store("bank").prefix("02").prefix("03");
//!     migrate("bank", 2, 3);
//!     scan(bank, "02", on_balance);
//!     invariant("some", is_any, "no balance was moved");
//! }
//!
//! fn on_balance(key: &[u8], value: &[u8]) {
//!     if key.len() < 2 {
//!         fail(1, "a balance has no owner");
//!     }
//!     bank.delete(key);
//!     bank.set(Writer::<64>::new().u8(3).bytes(&key[1..]), value);
//! }
//!
//! fn is_any() -> bool {
//!     bank.scan(&[3], &mut [0; 4096]).next_pair().is_some()
//! }
//! ```
//!
//! `handler!` puts the manifest into the custom section `chain-upgrade.manifest` and makes the exports of the interface.
//! Nothing here allocates: buffers are the caller's, or have a fixed size. A handler may use the standard library: enable the feature
//! `std`, so that a panic is reported with its message, file and line.
#![no_std]
#![warn(missing_docs)]

#[cfg(all(target_arch = "wasm32", feature = "std"))]
extern crate std;

#[cfg(target_arch = "wasm32")]
mod buffers;
#[cfg(not(target_arch = "wasm32"))]
#[path = "no_buffers.rs"]
mod buffers;
mod context;
mod declaration;
mod declare;
mod global;
mod hex;
mod imports;
mod manifest;
mod names;
mod output;
#[cfg(all(target_arch = "wasm32", any(feature = "panic-handler", feature = "std")))]
mod panic;
mod report;
mod rules;
mod run;
mod scan;
mod store;
mod text;
mod wire;
mod writer;

pub use context::{context, Context};
pub use declaration::{
    Allowance, Declaration, Invariant, Scanned, Step, StoreDeclaration, Upgrade,
};
pub use global::Global;
pub use manifest::manifest;
pub use report::{fail, log, progress, Level};
pub use scan::Scan;
pub use store::Store;
pub use text::Text;
pub use writer::Writer;

/// What the exports call that [`handler!`] makes; not for handlers themselves.
#[doc(hidden)]
pub mod exports {
    pub use crate::buffers::{input, output};
    pub use crate::run::{batch, check, run};
}
