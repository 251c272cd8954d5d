//! Errors of a module that is not accepted.

use crate::code::Code;
use crate::error::Error;
use wasmtime::wasmparser::BinaryReaderError;

pub(super) fn limit(what: &str) -> Error {
    Error::new(Code::HandlerLimit, what)
}

pub(super) fn malformed(cause: &BinaryReaderError) -> Error {
    Error::new(Code::HandlerFormat, format!("not a well-formed WebAssembly module: {cause}"))
}
