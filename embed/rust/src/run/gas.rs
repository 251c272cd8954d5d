//! The gas of one run. While the guest runs, the metered code keeps the count in a global; the host takes its own prices from the
//! same number, so there is one count and one end.

use crate::code::Code;
use crate::error::{Error, Result};
use wasmtime::Global;

/// The counters of a metered module.
#[derive(Clone, Copy)]
pub(super) struct Counters {
    pub(super) gas: Global,
    pub(super) stack: Global,
    pub(super) refused: Global,
}

/// Why the metered code ended itself.
pub(super) enum Stop {
    Gas,
    Stack,
    Memory,
}

/// The count, taken out of the instance for as long as the guest does not run.
pub(super) struct Purse {
    limit: u64,
    left: i64,
}

impl Purse {
    pub(super) fn new(limit: u64) -> Self {
        // At most 10^12: the input was looked at.
        Purse { limit, left: limit.cast_signed() }
    }

    /// Takes a price before what it is for is done.
    pub(super) fn charge(&mut self, price: u64, what: &str) -> Result<()> {
        self.left = self.left.saturating_sub(i64::try_from(price).unwrap_or(i64::MAX));
        self.require_rest(what)
    }

    /// Metered code may end with a debt, which it would have found at the next check.
    pub(super) fn require_rest(&self, what: &str) -> Result<()> {
        if self.left < 0 { Err(out_of_gas(self.limit, what)) } else { Ok(()) }
    }

    /// Below 0: it is gone.
    pub(super) fn left(&self) -> i64 {
        self.left
    }

    pub(super) fn set_left(&mut self, left: i64) {
        self.left = left;
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// What was counted until now, at most the limit.
    pub(super) fn used(&self) -> u64 {
        self.limit - u64::try_from(self.left).unwrap_or(0).min(self.limit)
    }
}

pub(super) fn out_of_gas(limit: u64, what: &str) -> Error {
    let advice = "the handler does more work than its manifest allows; a higher gasLimit makes another handler";
    let message = format!("the handler used up its gas of {limit} in {what}: {advice}");
    Error::new(Code::MigrationOutOfGas, message).with("limit", limit).with("call", what)
}
