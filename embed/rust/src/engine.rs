//! The one wasmtime engine of a process, with what our modules need and nothing else.

use crate::code::Code;
use crate::error::{Error, Result};
use std::sync::{Arc, OnceLock};
use wasmtime::wasmparser::WasmFeatures;
use wasmtime::{Config, Engine};

/// Bytes of native stack for a guest. The most that Cranelift was seen to take for our own budget of 262,144 abstract bytes
/// is 118 KiB (docs/gas.md), so that ends first.
pub(crate) const GUEST_STACK_BYTES: usize = 512 * 1024;

/// WebAssembly as docs/abi.md allows it: integers, one memory, bulk memory, and nothing whose result an engine may choose.
/// The index of a table may be padded, as rustc and LLVM write it in `call_indirect`.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::CALL_INDIRECT_OVERLONG);

pub(crate) fn engine() -> Result<&'static Engine> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    once(&ENGINE, start)
}

/// The value, made by the first call that succeeds. Calls at the same time may each make one, of which the first is kept.
pub(crate) fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

fn start() -> Result<Engine> {
    let mut config = Config::new();
    // The name of a trap is all that is shown of it.
    config.wasm_backtrace_max_frames(None);
    config.max_wasm_stack(GUEST_STACK_BYTES);
    // How a cancelled run ends that calls nothing of the host's.
    config.epoch_interruption(true);
    Engine::new(&config).map_err(|cause| failure("the engine could not start", &format!("{cause:#}")))
}

/// What this engine or machine could not do: it says nothing about the handler, so no node may take it for a result.
pub(crate) fn failure(what: &str, reason: &str) -> Error {
    let advice = "another node may not see it; free memory or use another machine, and start again";
    let message =
        format!("{what}: {reason}. This is a limit of this engine or machine, not a result of the handler: {advice}");
    Error::new(Code::HandlerEngine, message).caused_by(Arc::new(Reason(reason.to_owned())))
}

#[derive(Debug)]
struct Reason(String);

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Reason {}

#[cfg(test)]
mod tests {
    use super::{failure, once};
    use crate::code::Code;
    use std::sync::OnceLock;

    #[test]
    fn once_keeps_what_was_made_and_no_failure() {
        let cell = OnceLock::new();
        let failed = once(&cell, || Err(failure("the engine could not compile check.wasm", "no memory")));
        assert_eq!(failed.expect_err("a failure").code(), Code::HandlerEngine);
        assert_eq!(once(&cell, || Ok(1)).ok(), Some(&1));
        assert_eq!(once(&cell, || Ok(2)).ok(), Some(&1));
    }
}
