//! Errors of a module that is not accepted.

use chain_upgrade::Code;
use chain_upgrade::Error;
use wasmtime::wasmparser::BinaryReaderError;

pub fn limit(what: &str) -> Error {
    Error::new(Code::HandlerLimit, what)
}

pub fn malformed(cause: &BinaryReaderError) -> Error {
    Error::new(Code::HandlerFormat, format!("not a well-formed WebAssembly module: {cause}"))
}
