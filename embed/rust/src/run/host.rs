//! What the imports of one run work on.

use super::gas::{Counters, Purse};
use super::handles::Handles;
use super::input::{Level, Reports};
use crate::cancel::Cancel;
use crate::error::Result;
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

    pub(super) fn log(&mut self, level: Level, line: &str) {
        if let Some(log) = &mut self.reports.log {
            callback(|| log(level, line));
        }
    }

    pub(super) fn progress(&mut self, done: i64, total: i64) {
        if let Some(progress) = &mut self.reports.progress {
            callback(|| progress(done, total));
        }
    }
}

/// A callback has no effect on results: its panic goes no further and is dropped.
fn callback(work: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}
