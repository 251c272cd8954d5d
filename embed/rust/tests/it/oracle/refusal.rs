//! Errors of a module that is not accepted.

use chain_upgrade::Code;
use chain_upgrade::Error;
use wasmtime::wasmparser::BinaryReaderError;

pub fn limit(what: &str) -> Error {
    Error::new(Code::HandlerLimit, what)
}

pub fn malformed(cause: &BinaryReaderError) -> Error {
    // wasmparser has the limit of docs/abi.md: 100,000 bytes.
    if cause.message() == "string size out of bounds" {
        return limit("a name has more than 100000 bytes");
    }
    Error::new(Code::HandlerFormat, format!("not a well-formed WebAssembly module: {cause}"))
}
