//! Every call of test/vectors/core-calls.json.gz: the same results, records of errors and stores as in the TypeScript host.

use crate::support::{dump, hex, list, memory_store, pairs, text, to_hex, vectors};
use chain_upgrade::{Arg, Code, Core, Decision, Error, Facts, MemoryStore, Pair, SharedStore};
use serde_json::Value;
use std::sync::Arc;

/// An argument of a call, as the file writes it.
enum Given {
    Int(i32),
    Long(i64),
    In(Vec<u8>),
    Out(usize),
}

fn given(arg: &Value) -> Given {
    let (kind, value) = text(arg).split_once(':').expect("kind:value");
    match kind {
        "i32" => Given::Int(value.parse().expect("an i32")),
        "i64" => Given::Long(value.parse().expect("an i64")),
        "in" => Given::In(hex(value)),
        "out" => Given::Out(value.parse().expect("a size")),
        other => panic!("an argument of kind {other}"),
    }
}

/// What a call gave: the number that the export returned, the bytes that it wrote, the record of its error.
#[derive(Debug, PartialEq)]
struct Gave {
    result: String,
    out: Option<String>,
    error: Option<(i64, String)>,
}

fn due(call: &Value) -> Gave {
    let error = call.get("error");
    Gave {
        result: text(&call["result"]).to_owned(),
        out: call.get("out").map(|out| text(out).to_owned()),
        error: error.map(|error| (error["code"].as_i64().expect("a code"), text(&error["message"]).to_owned())),
    }
}

fn failure(error: &Error) -> Gave {
    let number = i64::from(error.code().number());
    let is_trap = error.code() == Code::BugCoreTrap;
    let result = if is_trap { "trap".to_owned() } else { format!("-{number}") };
    // The record is the core's own, without the words of this host before it.
    let message = error.to_string();
    let record = if is_trap { message.split_once(": ").map_or("", |(_, record)| record) } else { &message };
    Gave { result, out: None, error: Some((number, record.to_owned())) }
}

fn call(core: &mut Core, store: &SharedStore, call: &Value) -> Gave {
    let all: Vec<Given> = list(&call["args"]).iter().map(given).collect();
    let args: Vec<Arg<'_>> = all.iter().filter_map(arg).collect();
    let name = text(&call["call"]);
    let Some(Given::Out(room)) = all.last() else {
        return match core.call(Some(store), name, &args) {
            Ok(result) => Gave { result: result.to_string(), out: None, error: None },
            Err(error) => failure(&error),
        };
    };
    match core.call_for_bytes(Some(store), name, &args) {
        Ok(None) => Gave { result: "-1".to_owned(), out: None, error: None },
        Ok(Some(bytes)) => {
            let is_written = !bytes.is_empty() && bytes.len() <= *room;
            Gave { result: bytes.len().to_string(), out: is_written.then(|| to_hex(&bytes)), error: None }
        }
        Err(error) => failure(&error),
    }
}

fn arg(given: &Given) -> Option<Arg<'_>> {
    match given {
        Given::Int(value) => Some(Arg::Int(*value)),
        Given::Long(value) => Some(Arg::Long(*value)),
        Given::In(bytes) => Some(Arg::Bytes(bytes)),
        Given::Out(_) => None,
    }
}

#[test]
fn core_calls_of_the_vectors_give_their_results_and_stores() {
    let file = vectors("core-calls.json.gz");
    let mut core = Core::new().expect("core.wasm");
    let (mut calls, mut wrong) = (0, Vec::new());
    for case in list(&file["cases"]) {
        let mut store: SharedStore = Arc::new(MemoryStore::default());
        let mut held: Vec<Pair> = Vec::new();
        for (index, step) in list(&case["calls"]).iter().enumerate() {
            if let Some(before) = step.get("before") {
                held = pairs(before);
                store = Arc::new(memory_store(held.clone()));
            }
            typed(&mut core, &store, step);
            let got = call(&mut core, &store, step);
            if let Some(after) = step.get("store") {
                held = pairs(after);
            }
            calls += 1;
            if got != due(step) || dump(&*store) != held {
                wrong.push(format!("{} call {index}: {got:?}, due {:?}", case["label"], due(step)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {calls} calls are wrong, the first: {}", wrong.len(), wrong[0]);
    println!("core-calls: {calls} calls as they are");
}

/// The bytes that a call gave: as the file has them, or where its room was too small their number.
fn same(step: &Value, got: Option<Vec<u8>>) {
    match (step.get("out"), got) {
        (Some(out), got) => assert_eq!(got.map(|bytes| to_hex(&bytes)).as_deref(), Some(text(out)), "{step}"),
        (None, None) => assert_eq!(text(&step["result"]), "-1", "{step}"),
        (None, Some(bytes)) => assert_eq!(text(&step["result"]), bytes.len().to_string(), "{step}"),
    }
}

/// The typed methods that read: what they return is what the call returns.
fn typed(core: &mut Core, store: &SharedStore, step: &Value) {
    let all: Vec<Given> = list(&step["args"]).iter().map(given).collect();
    let result = text(&step["result"]);
    let failed = result.parse::<i64>().is_ok_and(|result| result < -1);
    let code = |error: Error| assert_eq!(format!("-{}", error.code().number()), result, "{step}");
    match (text(&step["call"]), &all[..]) {
        ("plan_get", [Given::Out(_)]) => core.plan_bytes(store).map_or_else(code, |plan| same(step, plan)),
        ("done_height", [Given::In(name)]) => {
            if let Ok(name) = std::str::from_utf8(name) {
                let height = core.done_height(store, name).map(|height| height.unwrap_or(0));
                height.map_or_else(code, |height| assert_eq!(height.to_string(), result));
            }
        }
        ("last_done", [Given::Out(_)]) => {
            let bytes =
                |done: chain_upgrade::Done| [done.height.to_le_bytes().to_vec(), done.name.into_bytes()].concat();
            core.last_done(store).map_or_else(code, |done| same(step, done.map(bytes)));
        }
        ("version_get", [Given::In(module), Given::Out(_)]) => {
            if let Ok(module) = std::str::from_utf8(module) {
                let version = core.module_version(store, module);
                version.map_or_else(code, |version| same(step, version.map(|v| v.to_le_bytes().to_vec())));
            }
        }
        ("protocol_version", [Given::Out(_)]) => {
            let version = core.protocol_version(store);
            version.map_or_else(code, |version| same(step, (result != "-1").then(|| version.to_le_bytes().to_vec())));
        }
        ("pre_block", [Given::Long(height), Given::Int(flags)]) if !failed => {
            let facts = Facts {
                has_handler: flags & 1 != 0,
                has_last_handler: flags & 2 != 0,
                is_skip_height: flags & 4 != 0,
                is_first_block: flags & 8 != 0,
            };
            let decision = core.pre_block(store, *height, facts).expect("a decision");
            assert_eq!((decision as i32).to_string(), result, "{step}");
        }
        ("plan_validate", [Given::In(plan)]) => {
            core.validate_plan(plan).map_or_else(code, |()| assert_eq!(result, "0"))
        }
        ("plan_decode", [Given::In(plan), Given::Out(_)]) => match core.decode_plan(plan) {
            // What is decoded can be encoded again, unless it is deprecated.
            Ok(decoded) if decoded.upgraded_client_state.is_none() => {
                let again = core.encode_plan(&decoded).and_then(|bytes| core.decode_plan(&bytes));
                assert_eq!(again.expect("the same plan"), decoded, "{step}");
            }
            Ok(_) => assert!(!failed, "{step}"),
            Err(error) if failed => code(error),
            Err(error) => assert_eq!(error.to_string(), "a plan's name and info must be UTF-8"),
        },
        (
            "halt_text",
            [Given::Int(decision), Given::Long(height), Given::Long(version), Given::In(subject), Given::Out(_)],
        ) => {
            let halts = [Decision::HaltUpgradeNeeded, Decision::HaltBinaryTooEarly, Decision::HaltHandlerMissing];
            if let Some(halt) = halts.into_iter().find(|halt| *halt as i32 == *decision) {
                let said = core.halt_text(halt, *height, version.cast_unsigned(), subject);
                said.map_or_else(code, |said| same(step, Some(said.into_bytes())));
            }
        }
        ("upgrade_info", [Given::Long(height), Given::In(plan), Given::Out(_)]) => {
            let info = core.upgrade_info(*height, plan);
            info.map_or_else(code, |info| same(step, Some(info)));
        }
        _ => {}
    }
}
