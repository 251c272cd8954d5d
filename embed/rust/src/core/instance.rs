//! The only file that touches the memory of core.wasm. A trap poisons the instance: it is dropped, and the next call gets a
//! fresh one.

use super::imports::{CoreHost, Session, linker};
use crate::code::Code;
use crate::engine::{engine, failure};
use crate::error::{Error, Result};
use crate::overlay::Overlay;
use crate::store::{Guarded, SharedStore};
use std::collections::HashMap;
use wasmtime::{Extern, Func, Memory, Module, Store, Val};

const ABI_MAJOR: i64 = 1;
const ABSENT: i64 = -1;
const IMPORTS: [&str; 4] = ["get", "set", "delete", "seek"];
const ERROR_HEADER_BYTES: usize = 8;
/// The core cannot be interrupted: its calls are short.
const NO_DEADLINE: u64 = u64::MAX / 2;

/// What an export of core.wasm is given.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// An i32.
    Int(i32),
    /// An i64.
    Long(i64),
    /// Copied to where the core can read it: two parameters, a pointer and a length.
    Bytes(&'a [u8]),
}

pub(super) struct Instance {
    module: Module,
    live: Option<Live>,
}

/// A call that succeeded, with writes that nobody has seen yet.
pub(super) struct Ran<T> {
    value: T,
    session: Option<Session>,
}

impl<T: Copy> Ran<T> {
    pub(super) fn result(&self) -> T {
        self.value
    }
}

impl<T> Ran<T> {
    pub(super) fn value(self) -> T {
        self.value
    }

    pub(super) fn write(self) -> Result<()> {
        self.session.map_or(Ok(()), |session| session.writes.write_to(&session.below))
    }
}

impl Instance {
    pub(super) fn new(wasm: &[u8]) -> Result<Self> {
        let module = Module::from_binary(engine()?, wasm)
            .map_err(|cause| unusable(&format!("core.wasm is not a valid WebAssembly module: {cause:#}")))?;
        let is_known = |import: wasmtime::ImportType<'_>| {
            import.module() == "kv" && import.ty().func().is_some() && IMPORTS.contains(&import.name())
        };
        if !module.imports().all(is_known) {
            return Err(unusable("core.wasm imports more than kv.get, set, delete and seek"));
        }
        let live = Some(Live::start(&module)?);
        Ok(Instance { module, live })
    }

    pub(super) fn run<T>(
        &mut self,
        store: Option<&SharedStore>,
        operation: impl FnOnce(&mut Live) -> Result<T>,
    ) -> Result<Ran<T>> {
        let mut live = match self.live.take() {
            Some(live) => live,
            None => Live::start(&self.module)?,
        };
        let session = |store| Session { below: Guarded::new("upgrade", store), writes: Overlay::default() };
        live.store.data_mut().session = store.map(session);
        live.used = 0;
        live.invoke("core_reset", &[])?;
        let value = operation(&mut live);
        let session = live.store.data_mut().session.take();
        if !live.is_poisoned {
            self.live = Some(live);
        }
        Ok(Ran { value: value?, session })
    }
}

pub(super) struct Live {
    store: Store<CoreHost>,
    memory: Memory,
    functions: HashMap<String, (Func, usize)>,
    scratch: usize,
    scratch_cap: usize,
    used: usize,
    is_poisoned: bool,
}

impl Live {
    fn start(module: &Module) -> Result<Self> {
        let broken = |cause: wasmtime::Error| unusable(&format!("core.wasm cannot be instantiated: {cause:#}"));
        let mut store = Store::new(engine()?, CoreHost::default());
        store.set_epoch_deadline(NO_DEADLINE);
        let linker = linker(engine()?).map_err(broken)?;
        let instance = linker.instantiate(&mut store, module).map_err(broken)?;
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(|| unusable("core.wasm has no memory"))?;
        store.data_mut().memory = Some(memory);
        let exports: Vec<(String, Extern)> =
            instance.exports(&mut store).map(|export| (export.name().to_owned(), export.into_extern())).collect();
        let mut functions = HashMap::new();
        for (name, export) in exports {
            if let Extern::Func(function) = export {
                let results = function.ty(&store).results().len();
                functions.insert(name, (function, results));
            }
        }
        let mut live = Live { store, memory, functions, scratch: 0, scratch_cap: 0, used: 0, is_poisoned: false };
        if live.functions.contains_key("_initialize") {
            live.invoke("_initialize", &[])?;
        }
        live.require_abi()?;
        live.scratch = live.pointer("core_scratch", &[])?;
        live.scratch_cap = live.pointer("core_scratch_cap", &[])?;
        Ok(live)
    }

    fn require_abi(&mut self) -> Result<()> {
        let major = self.invoke("core_abi", &[])? >> 16;
        let message = format!("core.wasm speaks interface {major}, this host {ABI_MAJOR}");
        if major == ABI_MAJOR { Ok(()) } else { Err(unusable(&message)) }
    }

    /// Calls an export. A result below 0 is an error, except -ABSENT.
    pub(super) fn call(&mut self, name: &str, args: &[Arg<'_>]) -> Result<i64> {
        let values = self.put(args)?;
        self.checked(name, &values)
    }

    /// Calls an export whose last two parameters are `out, cap`; `None` for -ABSENT.
    pub(super) fn fetch(&mut self, name: &str, args: &[Arg<'_>]) -> Result<Option<Vec<u8>>> {
        let mut values = self.put(args)?;
        let inputs = values.len();
        // What the inputs left of the scratch area is nearly always enough, and asking twice would read the store twice.
        let mut cap = self.scratch_cap - self.used;
        loop {
            let out = self.room(cap)?;
            values.truncate(inputs);
            values.extend([int(out), int(cap)]);
            let size = self.checked(name, &values)?;
            let Ok(size) = usize::try_from(size) else { return Ok(None) };
            if size <= cap {
                return self.read(out, size).map(Some);
            }
            cap = size;
        }
    }

    fn put(&mut self, args: &[Arg<'_>]) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(2 * args.len() + 2);
        for arg in args {
            match arg {
                Arg::Int(value) => values.push(Val::I32(*value)),
                Arg::Long(value) => values.push(Val::I64(*value)),
                Arg::Bytes(bytes) => {
                    let at = self.room(bytes.len())?;
                    let outside = |_| unusable("core.wasm gave room outside its memory");
                    self.memory.write(&mut self.store, at, bytes).map_err(outside)?;
                    values.extend([int(at), int(bytes.len())]);
                }
            }
        }
        Ok(values)
    }

    /// Room for so many bytes: in the scratch area, or else in the core's own memory.
    fn room(&mut self, bytes: usize) -> Result<usize> {
        if bytes <= self.scratch_cap - self.used {
            let at = self.scratch + self.used;
            self.used = (self.used + bytes.next_multiple_of(16)).min(self.scratch_cap);
            return Ok(at);
        }
        let no_room = || Error::new(Code::InvalidArgument, format!("core.wasm has no room for {bytes} more bytes"));
        let asked = i32::try_from(bytes).map_err(|_| no_room())?;
        match self.pointer("core_alloc", &[Val::I32(asked)])? {
            0 => Err(no_room()),
            at => Ok(at),
        }
    }

    fn checked(&mut self, name: &str, values: &[Val]) -> Result<i64> {
        let answer = self.invoke(name, values)?;
        if answer >= 0 || answer == ABSENT { Ok(answer) } else { Err(self.refusal(-answer)?) }
    }

    fn refusal(&mut self, number: i64) -> Result<Error> {
        let Some(code) = Code::of_number(number) else {
            return Ok(unusable(&format!("core.wasm returned the unknown code {number}")));
        };
        let message = self.message(number)?;
        Ok(Error::new(code, message.unwrap_or_else(|| format!("core.wasm returned {code} without a message"))))
    }

    /// The record of the last failure; `None` when it is of another one, left by an earlier call.
    fn message(&mut self, number: i64) -> Result<Option<String>> {
        let at = self.pointer("core_err", &[])?;
        let header = self.read(at, ERROR_HEADER_BYTES)?;
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if i64::from(word(0)) != number {
            return Ok(None);
        }
        let text = self.read(at + ERROR_HEADER_BYTES, word(4) as usize)?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    fn pointer(&mut self, name: &str, values: &[Val]) -> Result<usize> {
        // An i32, read unsigned.
        Ok((self.invoke(name, values)? as u32) as usize)
    }

    fn read(&self, at: usize, len: usize) -> Result<Vec<u8>> {
        let bytes = self.memory.data(&self.store).get(at..).and_then(|rest| rest.get(..len));
        bytes.map(<[u8]>::to_vec).ok_or_else(|| unusable("core.wasm named bytes outside its memory"))
    }

    fn invoke(&mut self, name: &str, values: &[Val]) -> Result<i64> {
        let (function, results) =
            *self.functions.get(name).ok_or_else(|| unusable(&format!("core.wasm has no function {name}")))?;
        let mut answer = [Val::I32(0)];
        match function.call(&mut self.store, values, &mut answer[..results.min(1)]) {
            Ok(()) => Ok(answer[0].i64().or(answer[0].i32().map(i64::from)).unwrap_or(0)),
            Err(cause) => Err(self.trapped(name, cause)),
        }
    }

    /// What the host's own store said goes on as it is; anything else is a trap of the core.
    fn trapped(&mut self, name: &str, cause: wasmtime::Error) -> Error {
        let was_poisoned = std::mem::replace(&mut self.is_poisoned, true);
        match cause.downcast::<Error>() {
            Ok(own) => own,
            Err(other) => {
                let number = i64::from(Code::BugCoreTrap.number());
                let said = if was_poisoned { None } else { self.message(number).ok().flatten() };
                let said = said.unwrap_or_else(|| format!("{:#}", other.root_cause()));
                Error::new(Code::BugCoreTrap, format!("core.wasm trapped in {name}: {said}"))
            }
        }
    }
}

fn int(value: usize) -> Val {
    Val::I32((value as u32).cast_signed())
}

fn unusable(what: &str) -> Error {
    if engine().is_err() { failure("the engine could not start", what) } else { Error::new(Code::BugCoreAbi, what) }
}
