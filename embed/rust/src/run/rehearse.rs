//! A run on a copy, or on the real state, of which nothing stays: how long it takes and what it would change.

use super::handles::Handle;
use super::{Input, Report};
use crate::error::Result;
use crate::handler::Handler;
use std::time::{Duration, Instant};

/// Of its gas limit, what a handler should leave: state grows until the upgrade.
const GAS_LEFT_PERCENT: u64 = 20;

/// What a run would do.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What the real run would report on this state.
    pub report: Report,
    /// On this machine, the stores' reads included; the writes come on top.
    pub elapsed: Duration,
    /// By store, ascending by name.
    pub changes: Vec<StoreChange>,
    /// What a chain should look at before it takes the handler, in words.
    pub warnings: Vec<String>,
}

/// What a run would change in one store, in keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreChange {
    /// Of the store.
    pub name: String,
    /// Keys that would be new.
    pub added: u64,
    /// Keys that would get another value.
    pub changed: u64,
    /// Keys that would be gone.
    pub removed: u64,
    /// Keys that were written as they are, or deleted though absent.
    pub unchanged: u64,
}

impl Handler {
    /// Runs the handler as [`Handler::run`] does, compares what it wrote with the stores, and drops it.
    ///
    /// # Errors
    /// Those of [`Handler::run`].
    pub fn rehearse(&self, input: Input<'_>) -> Result<Rehearsal> {
        let limit = input.gas_limit.unwrap_or(self.manifest().gas_limit);
        let begun = Instant::now();
        let run = self.run(input)?;
        let elapsed = begun.elapsed();
        let mut writable: Vec<&Handle> = run.handles.iter().filter(|handle| handle.is_writable).collect();
        writable.sort_by(|a, b| a.name.cmp(&b.name));
        let changes = writable.iter().map(|handle| change(handle)).collect::<Result<_>>()?;
        let warnings = writable.iter().filter_map(|handle| empty_values(handle).transpose());
        let mut warnings = warnings.collect::<Result<Vec<_>>>()?;
        if run.report.gas > limit - limit / 100 * GAS_LEFT_PERCENT {
            let gas = run.report.gas;
            warnings.push(format!("{gas} of {limit} gas are used: on a larger state it may run out"));
        }
        Ok(Rehearsal { report: run.report, elapsed, changes, warnings })
    }
}

fn change(handle: &Handle) -> Result<StoreChange> {
    let mut change = StoreChange { name: handle.name.clone(), added: 0, changed: 0, removed: 0, unchanged: 0 };
    let mut writes = handle.writes.all()?;
    while let Some((key, value)) = writes.next()? {
        let before = handle.below.get(&key)?;
        let count = match (before.as_deref(), value.as_deref()) {
            (before, after) if before == after => &mut change.unchanged,
            (None, _) => &mut change.added,
            (_, None) => &mut change.removed,
            _ => &mut change.changed,
        };
        *count += 1;
    }
    Ok(change)
}

fn empty_values(handle: &Handle) -> Result<Option<String>> {
    let (mut writes, mut count) = (handle.writes.all()?, 0);
    while let Some((_, value)) = writes.next()? {
        count += u64::from(value.is_some_and(|value| value.is_empty()));
    }
    let name = &handle.name;
    let warning = || format!("{count} empty values in store \"{name}\": no ICS-23 verifier takes a proof of one");
    Ok((count > 0).then(warning))
}
