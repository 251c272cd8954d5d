//! One instance of a handler: instantiated fresh, called, dropped. Whatever a call fails with ends the run.

use super::counters::{put_back, stop_reason, take_out};
use super::failures::{failed, run_failure};
use super::gas::Counters;
use super::host::Host;
use super::imports::linker;
use super::memory::{range, view, word};
use super::schedule::HOST_CALL;
use crate::code::Code;
use crate::engine::{engine, failure};
use crate::error::{Error, Result};
use crate::handler::{GAS_EXPORT, Handler, REFUSED_EXPORT, STACK_EXPORT};
use crate::limits::{FAIL_MESSAGE_BYTES_MAX, PAGE_BYTES};
use crate::text::guest_text;
use wasmtime::{Instance, Memory, Store, UpdateDeadline, Val};

/// `handler_err() → { u32 code, u32 msg_len, u8 msg[] }`
const ERROR_HEADER_BYTES: u32 = 8;

pub(super) struct Guest {
    store: Store<Host>,
    instance: Instance,
    memory: Memory,
}

impl Guest {
    /// `UPG_HANDLER_ENGINE` when the engine cannot instantiate it: the checks leave no other reason.
    pub(super) fn new(handler: &Handler, host: Host) -> Result<Self> {
        let broken =
            |cause: wasmtime::Error| failure("the engine could not instantiate the handler", &format!("{cause:#}"));
        let mut store = Store::new(engine()?, host);
        store.epoch_deadline_callback(|context| {
            context.data().check_cancel()?;
            Ok(UpdateDeadline::Continue(1))
        });
        store.set_epoch_deadline(1);
        let linker = linker(engine()?).map_err(broken)?;
        let instance = linker.instantiate(&mut store, handler.module()).map_err(broken)?;
        let memory =
            instance.get_memory(&mut store, "memory").ok_or_else(|| Error::bug("a checked handler has no memory"))?;
        let mut counter = |name| {
            let global = instance.get_global(&mut store, name);
            global.ok_or_else(|| Error::bug("a metered handler has no counters"))
        };
        let counters =
            Counters { gas: counter(GAS_EXPORT)?, stack: counter(STACK_EXPORT)?, refused: counter(REFUSED_EXPORT)? };
        let host = store.data_mut();
        host.memory = Some(memory);
        host.counters = Some(counters);
        Ok(Guest { store, instance, memory })
    }

    pub(super) fn host(&mut self) -> &mut Host {
        self.store.data_mut()
    }

    pub(super) fn into_host(self) -> Host {
        self.store.into_data()
    }

    pub(super) fn has(&mut self, name: &str) -> bool {
        self.instance.get_func(&mut self.store, name).is_some()
    }

    pub(super) fn pages(&self) -> u32 {
        // At most 512.
        (self.memory.data_size(&self.store) / PAGE_BYTES) as u32
    }

    /// Calls an export; the answer is an i32, 0 for none.
    pub(super) fn call(&mut self, name: &str, args: &[i32]) -> Result<i32> {
        let function = self.instance.get_func(&mut self.store, name);
        let function = function.ok_or_else(|| Error::bug(&format!("a checked handler does not export {name}")))?;
        let host = self.host();
        host.check_cancel()?;
        host.purse.charge(HOST_CALL, name)?;
        put_back(&mut self.store)?;
        let values: Vec<Val> = args.iter().copied().map(Val::I32).collect();
        let mut answer = [Val::I32(0)];
        let results = function.ty(&self.store).results().len();
        let ended = function.call(&mut self.store, &values, &mut answer[..results.min(1)]);
        take_out(&mut self.store);
        if let Err(cause) = ended {
            let stop = stop_reason(&mut self.store);
            return Err(run_failure(cause, stop, self.host().purse.limit(), name));
        }
        self.host().purse.require_rest(name)?;
        Ok(answer[0].i32().unwrap_or(0))
    }

    /// The same for the exports that answer with a length; below 0 is `UPG_MIGRATION_FAILED`.
    pub(super) fn call_for_length(&mut self, name: &str, args: &[i32]) -> Result<usize> {
        let answer = self.call(name, args)?;
        if let Ok(length) = usize::try_from(answer) {
            return Ok(length);
        }
        let code = answer.unsigned_abs();
        let said = self.error_record()?;
        let text = said.as_ref().map_or_else(String::new, |(code, message)| format!(": {message} (code {code})"));
        let error = failed(&format!("{name} returned -{code}{text}")).with("call", name).with("answer", code);
        Err(match said {
            Some((code, message)) => error.with("code", code).with("message", message),
            None => error,
        })
    }

    /// What `handler_err` says; `None` without it, and when it breaks too: the answer below 0 is the failure.
    fn error_record(&mut self) -> Result<Option<(u32, String)>> {
        if !self.has("handler_err") {
            return Ok(None);
        }
        match self.read_error_record() {
            Ok(record) => Ok(Some(record)),
            Err(error) if is_of_guest(error.code()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_error_record(&mut self) -> Result<(u32, String)> {
        let at = self.call("handler_err", &[])?.cast_unsigned();
        let memory = self.memory();
        let header = view(memory, at, ERROR_HEADER_BYTES, "the record of handler_err")?;
        let (code, length) = (word(header, 0).unwrap_or(0), word(header, 4).unwrap_or(0));
        // A record that ends past 4 GiB ends past the memory.
        let text = view(memory, at.saturating_add(ERROR_HEADER_BYTES), length, "the message of handler_err")?;
        Ok((code, guest_text(text, FAIL_MESSAGE_BYTES_MAX)))
    }

    pub(super) fn memory(&self) -> &[u8] {
        self.memory.data(&self.store)
    }

    /// The memory and what the imports work on, at once.
    pub(super) fn parts(&mut self) -> (&mut [u8], &mut Host) {
        self.memory.data_and_store_mut(&mut self.store)
    }

    pub(super) fn write(&mut self, at: u32, bytes: &[u8], what: &str) -> Result<()> {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let (memory, _) = self.parts();
        let room = range(memory, at, length, what)?;
        memory[room].copy_from_slice(bytes);
        Ok(())
    }
}

/// What the guest itself did, as against its stores, its host and its engine.
pub(super) fn is_of_guest(code: Code) -> bool {
    let name = code.name();
    code != Code::HandlerEngine && (name.starts_with("UPG_MIGRATION_") || name.starts_with("UPG_HANDLER_"))
}
