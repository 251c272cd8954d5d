//! Another reading of handler files and receipts, independent of check.wasm, which is held against it: what this host had before
//! all hosts ran check.wasm. It has no meter, so it compares all of a metered module but the bodies of its functions, of which it
//! counts what they ask of a compiler.

mod cost;
mod growth;
mod interface;
mod limits;
mod manifest;
mod metered;
mod module;
mod receipt;
mod refusal;
mod text;

use chain_upgrade::{Code, Error, Manifest, Result};
pub use manifest::parse as parse_manifest;
use module::{Bounds, ModuleFacts};
pub use receipt::{decode_receipt, encode_receipt};

const HANDLER_BYTES_MAX: usize = 1_048_576;
const MANIFEST_BYTES_MAX: usize = 16_384;
const MANIFEST_SECTION: &str = "chain-upgrade.manifest";

/// The manifest of a handler, or the first thing that is wrong with it.
pub fn read_handler(file: &[u8]) -> Result<Manifest> {
    require_size(file)?;
    let facts = module::examine(file, Bounds::OfHandlers)?;
    let manifest = manifest::parse(manifest_of(&facts)?)?;
    interface::check_imports(&facts)?;
    interface::check_exports(&facts, &manifest)?;
    metered::require_own(&facts)?;
    Ok(manifest)
}

fn require_size(file: &[u8]) -> Result<()> {
    if file.len() <= HANDLER_BYTES_MAX {
        return Ok(());
    }
    let what = format!("the file is longer than the {HANDLER_BYTES_MAX} bytes that are allowed");
    Err(Error::new(Code::HandlerLimit, format!("{what}; strip debug sections and build for size")))
}

fn manifest_of<'a>(facts: &ModuleFacts<'a>) -> Result<&'a [u8]> {
    let sections = facts.customs_named(MANIFEST_SECTION);
    if let [section] = sections[..] {
        // A manifest above the limit is refused by its length, so one byte more than the limit is enough to read.
        return Ok(&section[..section.len().min(MANIFEST_BYTES_MAX + 1)]);
    }
    let found = match sections.len() {
        0 => "there is no custom section".to_owned(),
        count => format!("there are {count} custom sections"),
    };
    Err(Error::new(Code::HandlerManifest, format!("manifest: {found} {MANIFEST_SECTION}; exactly one is due")))
}
