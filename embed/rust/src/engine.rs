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
    static ENGINE: OnceLock<std::result::Result<Engine, String>> = OnceLock::new();
    ENGINE.get_or_init(start).as_ref().map_err(|reason| failure("the engine could not start", reason))
}

fn start() -> std::result::Result<Engine, String> {
    let mut config = Config::new();
    // The name of a trap is all that is shown of it.
    config.wasm_backtrace_max_frames(None);
    config.max_wasm_stack(GUEST_STACK_BYTES);
    // How a cancelled run ends that calls nothing of the host's.
    config.epoch_interruption(true);
    Engine::new(&config).map_err(|cause| format!("{cause:#}"))
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
