//! The four imports of core.wasm: the upgrade module's own store, with what the call under way has written over it.

use crate::code::Code;
use crate::error::{Error, Result};
use crate::limits::FRAME_HEADER_BYTES;
use crate::overlay::Overlay;
use crate::store::Guarded;
use crate::writes::Met;
use wasmtime::{Caller, Engine, Linker, Memory};

const ABSENT: i32 = -1;

/// What one call reads and writes.
pub(super) struct Session {
    pub(super) below: Guarded,
    pub(super) writes: Overlay,
}

#[derive(Default)]
pub(super) struct CoreHost {
    pub(super) memory: Option<Memory>,
    pub(super) session: Option<Session>,
}

impl CoreHost {
    fn session(&mut self) -> Result<&mut Session> {
        let reached = || Error::new(Code::BugCoreAbi, "a pure call of core.wasm reached for the store");
        self.session.as_mut().ok_or_else(reached)
    }
}

pub(super) fn linker(engine: &Engine) -> wasmtime::Result<Linker<CoreHost>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("kv", "get", |mut caller: Caller<'_, CoreHost>, key: u32, key_len: u32, out: u32, cap: u32| {
        let key = read(&mut caller, key, key_len)?;
        let Session { below, writes } = caller.data_mut().session()?;
        let value = writes.get(&key, below)?;
        answer(&mut caller, value.as_deref(), out, cap)
    })?;
    linker.func_wrap(
        "kv",
        "set",
        |mut caller: Caller<'_, CoreHost>, key: u32, key_len: u32, value: u32, len: u32| {
            let (key, value) = (read(&mut caller, key, key_len)?, read(&mut caller, value, len)?);
            caller.data_mut().session()?.writes.put(&key, Some(&value));
            Ok(())
        },
    )?;
    linker.func_wrap("kv", "delete", |mut caller: Caller<'_, CoreHost>, key: u32, key_len: u32| {
        let key = read(&mut caller, key, key_len)?;
        caller.data_mut().session()?.writes.put(&key, None);
        Ok(())
    })?;
    linker.func_wrap(
        "kv",
        "seek",
        |mut caller: Caller<'_, CoreHost>, start: u32, start_len: u32, end: u32, end_len: u32, out: u32, cap: u32| {
            let (start, end) = (read(&mut caller, start, start_len)?, read(&mut caller, end, end_len)?);
            let frame = seek(caller.data_mut().session()?, &start, Some(&*end).filter(|end| !end.is_empty()))?;
            answer(&mut caller, frame.as_deref(), out, cap)
        },
    )?;
    Ok(linker)
}

fn seek(session: &Session, start: &[u8], end: Option<&[u8]>) -> Result<Option<Vec<u8>>> {
    let mut pairs = session.writes.merged(&session.below, start, end)?;
    loop {
        match pairs.next()? {
            None => return Ok(None),
            Some(Met::Pair(key, value)) => return Ok(Some(frame(&key, &value))),
            Some(Met::Deleted(_)) => {}
        }
    }
}

/// Lengths have 32 bits, and a store of the upgrade module has nothing that is longer.
fn frame(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(FRAME_HEADER_BYTES + key.len() + value.len());
    frame.extend((key.len() as u32).to_le_bytes());
    frame.extend((value.len() as u32).to_le_bytes());
    frame.extend(key);
    frame.extend(value);
    frame
}

fn read(caller: &mut Caller<'_, CoreHost>, at: u32, len: u32) -> Result<Vec<u8>> {
    let memory = memory(caller)?;
    let bytes = memory.data(&*caller).get(at as usize..).and_then(|rest| rest.get(..len as usize));
    bytes.map(<[u8]>::to_vec).ok_or_else(outside)
}

fn answer(caller: &mut Caller<'_, CoreHost>, bytes: Option<&[u8]>, out: u32, cap: u32) -> wasmtime::Result<i32> {
    let Some(bytes) = bytes else { return Ok(ABSENT) };
    if bytes.len() <= cap as usize {
        let memory = memory(caller)?;
        let room = memory.data_mut(&mut *caller).get_mut(out as usize..).and_then(|rest| rest.get_mut(..bytes.len()));
        room.ok_or_else(outside)?.copy_from_slice(bytes);
    }
    Ok(i32::try_from(bytes.len())
        .map_err(|_| Error::new(Code::StoreCorrupt, "a value of the upgrade store is too long"))?)
}

fn memory(caller: &Caller<'_, CoreHost>) -> Result<Memory> {
    caller.data().memory.ok_or_else(outside)
}

fn outside() -> Error {
    Error::new(Code::BugCoreAbi, "core.wasm named bytes outside its memory")
}
