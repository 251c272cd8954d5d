//! What the imports of one run work on.

use super::gas::{Counters, Purse};
use super::handles::Handles;
use super::input::{Level, Reports};
use crate::cancel::Cancel;
use crate::engine::failure;
use crate::error::Result;
use crate::store::panic_text;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wasmtime::Memory;

pub(super) struct Host {
    pub(super) purse: Purse,
    pub(super) handles: Handles,
    pub(super) reports: Reports,
    pub(super) cancel: Option<Cancel>,
    pub(super) log_lines: u32,
    /// Of the instance; absent before there is one.
    pub(super) counters: Option<Counters>,
    pub(super) memory: Option<Memory>,
}

impl Host {
    pub(super) fn new(purse: Purse, handles: Handles, reports: Reports, cancel: Option<Cancel>) -> Self {
        Host { purse, handles, reports, cancel, log_lines: 0, counters: None, memory: None }
    }

    pub(super) fn check_cancel(&self) -> Result<()> {
        self.cancel.as_ref().map_or(Ok(()), Cancel::check)
    }

    pub(super) fn log(&mut self, level: Level, line: &str) -> Result<()> {
        let Some(log) = &mut self.reports.log else { return Ok(()) };
        callback("log", || log(level, line))
    }

    pub(super) fn progress(&mut self, done: i64, total: i64) -> Result<()> {
        let Some(progress) = &mut self.reports.progress else { return Ok(()) };
        callback("progress", || progress(done, total))
    }
}

/// A callback that panics ends the run; the panic goes no further.
fn callback(name: &str, work: impl FnOnce()) -> Result<()> {
    let panicked = |panic: Box<dyn std::any::Any + Send>| {
        failure(&format!("the callback {name} of this program panicked"), panic_text(&*panic))
    };
    catch_unwind(AssertUnwindSafe(work)).map_err(panicked)
}
