//! The counters of a running instance: moves the count between the guest and the host, and reads why metered code ended itself.

use super::gas::{Counters, Stop};
use super::host::Host;
use crate::error::{Error, Result};
use wasmtime::{AsContextMut, Global, Val};

/// Takes the count out of the instance, to charge it; [`put_back`] must follow before the guest runs again.
pub(super) fn take_out(mut context: impl AsContextMut<Data = Host>) {
    if let Some(Counters { gas, .. }) = context.as_context().data().counters {
        let left = gas.get(&mut context).i64().unwrap_or(-1);
        context.as_context_mut().data_mut().purse.set_left(left);
    }
}

pub(super) fn put_back(mut context: impl AsContextMut<Data = Host>) -> Result<()> {
    let host = context.as_context();
    let (counters, left) = (host.data().counters, host.data().purse.left());
    let Some(Counters { gas, .. }) = counters else { return Ok(()) };
    gas.set(&mut context, Val::I64(left)).map_err(|_| Error::bug("a metered handler's gas is constant"))
}

/// Why the metered code ended itself; `None`: it did not.
pub(super) fn stop_reason(mut context: impl AsContextMut<Data = Host>) -> Option<Stop> {
    let Counters { stack, refused, .. } = context.as_context().data().counters?;
    let mut value = |global: Global| global.get(&mut context).i32().unwrap_or(0);
    if value(refused) == 1 {
        return Some(Stop::Memory);
    }
    let is_deep = value(stack) < 0;
    if context.as_context().data().purse.left() < 0 {
        return Some(Stop::Gas);
    }
    is_deep.then_some(Stop::Stack)
}
