//! From the bytes of the custom section to a manifest: strict JSON, fields, rules.

mod field;
mod json;
mod read;
mod rules;
mod tests;

pub use read::parse;
