//! What a guest may call. Arguments are i32, read unsigned; each is checked before it is used, and everything is paid for before
//! it is done (docs/gas.md).

use super::counters::{put_back, take_out};
use super::failures::{failed, trap};
use super::gas::Purse;
use super::handles::Handle;
use super::host::Host;
use super::input::Level;
use super::memory::{Span, bounded, length, range, view, word};
use super::scan::store_scan;
use super::schedule::{BYTE, LOG, LOG_BYTE, PROGRESS, STORE_GET, STORE_WRITE, long_price};
use crate::error::{Error, Result};
use crate::limits::{FAIL_MESSAGE_BYTES_MAX, KEY_BYTES_MAX, LOG_BYTES_MAX, LOG_LINES_MAX, VALUE_BYTES_MAX};
use crate::text::{guest_line, guest_text, guest_text16};
use wasmtime::{Caller, Engine, Linker};

const ABSENT: i32 = -1;

/// Two modules and nothing inherited: no name reaches anything else.
pub(super) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Host>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap(
        "chain",
        "store_get",
        |caller: Caller<'_, Host>, s: u32, k: u32, kl: u32, out: u32, cap: u32| {
            enter(caller, |memory, host| store_get(memory, host, s, (k, kl), (out, cap)))
        },
    )?;
    linker.func_wrap("chain", "store_set", |caller: Caller<'_, Host>, s: u32, k: u32, kl: u32, v: u32, vl: u32| {
        enter(caller, |memory, host| store_set(memory, host, s, (k, kl), (v, vl)))
    })?;
    linker.func_wrap("chain", "store_delete", |caller: Caller<'_, Host>, s: u32, k: u32, kl: u32| {
        enter(caller, |memory, host| store_delete(memory, host, s, (k, kl)))
    })?;
    linker.func_wrap("chain", "store_write", |caller: Caller<'_, Host>, ops: u32, len: u32| {
        enter(caller, |memory, host| store_write(memory, host, (ops, len)))
    })?;
    linker.func_wrap(
        "chain",
        "store_scan",
        |caller: Caller<'_, Host>, s: u32, start: u32, sl: u32, end: u32, el: u32, out: u32, cap: u32| {
            enter(caller, |memory, host| store_scan(memory, host, s, (start, sl), (end, el), (out, cap)))
        },
    )?;
    linker.func_wrap("chain", "log", |caller: Caller<'_, Host>, level: u32, at: u32, len: u32| {
        enter(caller, |memory, host| log(memory, host, level, (at, len)))
    })?;
    linker.func_wrap("chain", "progress", |caller: Caller<'_, Host>, done: i64, total: i64| {
        enter(caller, |_, host| {
            host.purse.charge(PROGRESS, "progress")?;
            host.progress(done, total);
            Ok(())
        })
    })?;
    linker.func_wrap("chain", "fail", |caller: Caller<'_, Host>, code: i32, at: u32, len: u32| {
        enter(caller, |memory, _| -> Result<()> { Err(fail(memory, code, (at, len))?) })
    })?;
    linker.func_wrap("env", "abort", |caller: Caller<'_, Host>, message: u32, file: u32, line: u32, column: u32| {
        enter(caller, |memory, _| -> Result<()> { Err(abort(memory, message, file, (line, column))) })
    })?;
    Ok(linker)
}

/// The gas is taken out of the instance for the call, and back in whatever came of it.
fn enter<R>(mut caller: Caller<'_, Host>, work: impl FnOnce(&mut [u8], &mut Host) -> Result<R>) -> wasmtime::Result<R> {
    caller.data().check_cancel()?;
    take_out(&mut caller);
    let memory = caller.data().memory.ok_or_else(|| Error::bug("a handler ran before its memory was bound"))?;
    let (bytes, host) = memory.data_and_store_mut(&mut caller);
    let done = work(bytes, host);
    put_back(&mut caller)?;
    Ok(done?)
}

fn store_get(memory: &mut [u8], host: &mut Host, store: u32, key: Span, (out, cap): Span) -> Result<i32> {
    host.purse.charge(STORE_GET, "store_get")?;
    let Host { handles, purse, .. } = host;
    let handle = handles.readable(store)?;
    let key = paid_key(memory, handle, purse, key)?;
    let room = range(memory, out, cap, "out of store_get")?;
    let Some(value) = handle.writes.get(key, &handle.below)? else { return Ok(ABSENT) };
    purse.charge(value.len() as u64 * BYTE, "store_get")?;
    if value.len() <= room.len() {
        memory[room][..value.len()].copy_from_slice(&value);
    }
    length(value.len())
}

fn store_set(memory: &mut [u8], host: &mut Host, store: u32, key: Span, (at, len): Span) -> Result<i32> {
    let Host { handles, purse, .. } = host;
    purse.charge(handles.next_write_price(true), "store_set")?;
    let handle = handles.writable(store)?;
    let key = paid_key(memory, handle, purse, key)?;
    let value = bounded(memory, at, len, "a value", VALUE_BYTES_MAX)?;
    purse.charge(value.len() as u64 * BYTE, "store_set")?;
    purse.charge(long_price(value.len()), "store_set")?;
    handles.apply(store, key, Some(value))?;
    Ok(0)
}

fn store_delete(memory: &mut [u8], host: &mut Host, store: u32, key: Span) -> Result<i32> {
    let Host { handles, purse, .. } = host;
    purse.charge(handles.next_write_price(false), "store_delete")?;
    let handle = handles.writable(store)?;
    let key = paid_key(memory, handle, purse, key)?;
    handles.apply(store, key, None)?;
    Ok(0)
}

fn store_write(memory: &mut [u8], host: &mut Host, (at, len): Span) -> Result<i32> {
    let Host { handles, purse, .. } = host;
    purse.charge(STORE_WRITE, "store_write")?;
    let frames = view(memory, at, len, "ops of store_write")?;
    purse.charge(frames.len() as u64 * BYTE, "store_write")?;
    handles.apply_frames(purse, frames)?;
    Ok(0)
}

fn paid_key<'a>(memory: &'a [u8], handle: &Handle, purse: &mut Purse, (at, len): Span) -> Result<&'a [u8]> {
    if len == 0 {
        return Err(trap("an empty key"));
    }
    let key = bounded(memory, at, len, "a key", KEY_BYTES_MAX)?;
    purse.charge(key.len() as u64 * BYTE, "a key")?;
    purse.charge(long_price(key.len()), "a key")?;
    handle.require_key(key)?;
    Ok(key)
}

fn log(memory: &mut [u8], host: &mut Host, level: u32, (at, len): Span) -> Result<()> {
    let line = view(memory, at, len, "a log line")?;
    host.purse.charge(LOG + line.len().min(LOG_BYTES_MAX) as u64 * LOG_BYTE, "log")?;
    if host.log_lines > LOG_LINES_MAX {
        return Ok(());
    }
    host.log_lines += 1;
    if host.log_lines > LOG_LINES_MAX {
        let rest = format!("the handler logged {LOG_LINES_MAX} lines; what it logs from here on is left out");
        host.log(Level::Warn, &rest);
        return Ok(());
    }
    host.log(Level::of_number(level), &guest_line(line, LOG_BYTES_MAX));
    Ok(())
}

/// The error that the guest asked for; a trap when its message is out of bounds.
fn fail(memory: &[u8], code: i32, (at, len): Span) -> Result<Error> {
    let message = guest_text(view(memory, at, len, "the message of fail")?, FAIL_MESSAGE_BYTES_MAX);
    Ok(failed(&format!("code {code}: {message}")).with("code", code).with("message", message))
}

fn abort(memory: &[u8], message: u32, file: u32, (line, column): (u32, u32)) -> Error {
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    let text = or(string(memory, message), "abort");
    let place = format!("{}:{line}:{column}", or(string(memory, file), "unknown"));
    failed(&format!("{text} at {place}")).with("message", text).with("place", place)
}

/// A string of AssemblyScript: its length in bytes is before it. The run ends anyway, so nothing here is a trap.
fn string(memory: &[u8], at: u32) -> String {
    let at = at as usize;
    let Some(len) = at.checked_sub(4).and_then(|before| word(memory, before)) else { return String::new() };
    let end = (at + (len as usize).min(FAIL_MESSAGE_BYTES_MAX)).min(memory.len());
    guest_text16(&memory[at..end])
}
