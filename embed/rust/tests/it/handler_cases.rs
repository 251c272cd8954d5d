//! Every case of test/vectors/handler-cases.json.gz: code, gas, counts, pairs, digests, versions, checks and words as in the
//! TypeScript node.

use crate::support::{dump, guest_file, hex, iavl, list, pairs, text, to_hex, vectors};
use chain_upgrade::{
    Branch, Check, Error, Handler, Input, Level, MemoryStore, Pair, Run, SharedStore, Stores, Timestamp, VersionMap,
    Write, check_file,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// More lines than this the file gives by their number and hash.
const LINES_LISTED_MAX: usize = 32;

/// The state that a case begins with, made once.
struct Prepared {
    chain_id: String,
    height: i64,
    time: Timestamp,
    plan: Vec<u8>,
    versions: VersionMap,
    stores: BTreeMap<String, SharedStore>,
}

fn u64_of(value: &Value) -> u64 {
    value.as_str().map_or_else(|| value.as_u64(), |text| text.parse().ok()).expect("a number")
}

fn i64_of(value: &Value) -> i64 {
    value.as_str().map_or_else(|| value.as_i64(), |text| text.parse().ok()).expect("a number")
}

fn version_map(value: &Value) -> VersionMap {
    let map = value.as_object().expect("a map");
    map.iter().map(|(module, version)| (module.clone(), u64_of(version))).collect()
}

fn prepare(input: &Value) -> Prepared {
    let stores = input["stores"].as_object().expect("stores");
    let store = |(name, pairs): (&String, &Value)| (name.clone(), Arc::new(store_of(pairs)) as SharedStore);
    Prepared {
        chain_id: text(&input["chain_id"]).to_owned(),
        height: i64_of(&input["height"]),
        time: Timestamp {
            seconds: i64_of(&input["time"]["seconds"]),
            nanos: i32::try_from(i64_of(&input["time"]["nanos"])).expect("nanos"),
        },
        plan: hex(text(&input["plan"])),
        versions: version_map(&input["versions"]),
        stores: stores.iter().map(store).collect(),
    }
}

fn store_of(value: &Value) -> MemoryStore {
    if value.is_array() { pairs(value).into_iter().collect() } else { made_by_rule(value).collect() }
}

/// Pairs that the file describes: see test/vectors/README.md.
fn made_by_rule(rule: &Value) -> impl Iterator<Item = Pair> {
    let (count, prefix) = (u64_of(&rule["count"]), hex(text(&rule["prefix"])));
    let key_bytes = usize::try_from(u64_of(&rule["key_bytes"])).expect("a size");
    let (least, greatest) = (u64_of(&rule["value_bytes"][0]), u64_of(&rule["value_bytes"][1]));
    (0..count).map(move |i| {
        let hash = Sha256::digest(i.to_be_bytes());
        let size = least + (u64::from(hash[31]) * 256 + u64::from(hash[30])) % (greatest - least + 1);
        let value = hash.iter().copied().cycle().take(usize::try_from(size).expect("a size")).collect();
        ([&prefix, &hash[..key_bytes]].concat(), value)
    })
}

/// What the guest said while it ran.
#[derive(Clone, Default)]
struct Words {
    logs: Arc<Mutex<Vec<String>>>,
    progress: Arc<Mutex<Vec<String>>>,
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

fn names(value: &Value) -> Vec<String> {
    list(value).iter().map(|name| text(name).to_owned()).collect()
}

/// Runs a case over branches of its stores, which are given too.
fn run(handler: &Handler, case: &Value, state: &Prepared, words: &Words) -> (Stores, chain_upgrade::Result<Run>) {
    let branch =
        |(name, store): (&String, &SharedStore)| (name.clone(), Arc::new(Branch::new(name, store)) as SharedStore);
    let stores: Stores = state.stores.iter().map(branch).collect();
    let mut input = Input::new(&state.chain_id, state.height, state.time, &state.plan, &state.versions, &stores);
    input.gas_limit = case.get("gas_limit").map(u64_of);
    input.batch_bytes = case.get("batch_bytes").map(|bytes| usize::try_from(u64_of(bytes)).expect("a size"));
    let (module_stores, vital_modules) = (case.get("module_stores"), case.get("vital_modules"));
    input.without_guards = module_stores.is_none() && vital_modules.is_none();
    if let Some(Value::Object(table)) = module_stores {
        input.module_stores = table.iter().map(|(module, stores)| (module.clone(), names(stores))).collect();
    }
    input.vital_modules = vital_modules.map_or(input.vital_modules, names);
    let (logs, progress) = (Arc::clone(&words.logs), Arc::clone(&words.progress));
    input.log = Some(Box::new(move |level, line| logs.lock().expect("logs").push(format!("{} {line}", word(level)))));
    input.progress =
        Some(Box::new(move |done, total| progress.lock().expect("progress").push(format!("{done}/{total}"))));
    let run = handler.run(input);
    (stores, run)
}

/// Differences between what a case says and what happened.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn hold<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, got: T, due: T) {
        if got != due {
            self.0.push(format!("{what}: {got:?}, due {due:?}"));
        }
    }
}

fn failed(differences: &mut Differences, case: &Value, error: &Error) {
    differences.hold("error", Some(error.code().name()), case["error"].as_str());
    let gas = error.details().get("gas").map(|gas| gas.parse::<u64>().expect("a number"));
    differences.hold("gas", gas, case.get("gas").map(u64_of));
    if let Some(said) = case.get("said") {
        differences.hold("said", error.details().get("message").map(String::as_str), said.as_str());
    }
}

fn succeeded(differences: &mut Differences, case: &Value, run: &Run, state: &Prepared, stores: &Stores) {
    differences.hold("error", None, case["error"].as_str());
    if case.get("error").is_some() {
        return;
    }
    let report = run.report();
    differences.hold("gas", report.gas, u64_of(&case["gas"]));
    differences.hold("memory_pages", u64::from(report.memory_pages), u64_of(&case["memory_pages"]));
    differences.hold("versions", &report.versions, &version_map(&case["versions"]));
    let check = |check: &Value| Check {
        name: text(&check["name"]).to_owned(),
        ok: check["ok"].as_bool().expect("ok"),
        message: text(&check["message"]).to_owned(),
    };
    differences.hold("checks", &report.checks, &list(&case["checks"]).iter().map(check).collect());
    run.write().expect("branches take every write");
    let due = case["stores"].as_object().expect("stores");
    differences.hold("stores", report.stores.len(), due.len());
    for store in &report.stores {
        let due = &due[&store.name];
        let at = |what: &str| format!("{} {what}", store.name);
        differences.hold(&at("written"), store.written, u64_of(&due["written"]));
        differences.hold(&at("deleted"), store.deleted, u64_of(&due["deleted"]));
        differences.hold(&at("bytes"), store.bytes, u64_of(&due["bytes"]));
        let writes: Vec<Write> = run.writes(&store.name).and_then(|writes| writes.collect()).expect("writes");
        differences.hold(&at("writes"), writes.len() as u64, u64_of(&due["writes"]));
        differences.hold(&at("writes_sha256"), to_hex(&store.sha256).as_str(), text(&due["writes_sha256"]));
        let after = dump(&*stores[&store.name]);
        differences.hold(&at("pairs"), after.len() as u64, u64_of(&due["pairs"]));
        differences.hold(&at("pairs_sha256"), digest(&after).as_str(), text(&due["pairs_sha256"]));
        let before = dump(&*state.stores[&store.name]);
        let root = iavl::root(&before, writes.iter().map(|(key, value)| (&**key, value.as_deref())));
        differences.hold(&at("root"), to_hex(&root).as_str(), text(&due["root"]));
    }
}

fn digest(pairs: &[Pair]) -> String {
    let mut hash = Sha256::new();
    for (key, value) in pairs {
        for length in [key.len(), value.len()] {
            hash.update(u32::try_from(length).expect("a length").to_le_bytes());
        }
        hash.update(key);
        hash.update(value);
    }
    to_hex(&hash.finalize())
}

fn said(differences: &mut Differences, what: &str, lines: &[String], due: Option<&Value>) {
    match due {
        None => differences.hold(what, lines.len(), 0),
        Some(Value::Array(due)) => {
            differences.hold(what, lines, &due.iter().map(|line| text(line).to_owned()).collect::<Vec<_>>());
        }
        Some(due) => {
            assert!(lines.len() > LINES_LISTED_MAX, "{what}: {} lines", lines.len());
            let all: String = lines.iter().map(|line| format!("{line}\n")).collect();
            differences.hold(what, lines.len() as u64, u64_of(&due["lines"]));
            differences.hold(what, to_hex(&Sha256::digest(all)).as_str(), text(&due["sha256"]));
        }
    }
}

fn differences(case: &Value, file: &[u8], loaded: &Loaded, states: &HashMap<&str, Prepared>) -> Vec<String> {
    let mut differences = Differences::default();
    let Some(input) = case["input"].as_str() else {
        let code = Handler::load(file, None).err().map(|error| error.code().name());
        differences.hold("error", code, due_refusal(case));
        return differences.0;
    };
    let handler = match loaded {
        Ok(handler) => handler,
        Err(error) => return vec![format!("it is not loaded: {error} ({})", error.code())],
    };
    let (state, words) = (&states[input], Words::default());
    let before: Vec<Vec<Pair>> = state.stores.values().map(|store| dump(&**store)).collect();
    let (stores, ended) = run(handler, case, state, &words);
    match &ended {
        Ok(run) => succeeded(&mut differences, case, run, state, &stores),
        Err(error) => {
            failed(&mut differences, case, error);
            let after: Vec<Vec<Pair>> = stores.values().map(|store| dump(&**store)).collect();
            differences.hold("written by a failed run", after == before, true);
        }
    }
    said(&mut differences, "logs", &words.logs.lock().expect("logs"), case.get("logs"));
    said(&mut differences, "progress", &words.progress.lock().expect("progress"), case.get("progress"));
    differences.0
}

/// `None`: hosts that make the metered module take the file.
fn due_refusal(case: &Value) -> Option<&str> {
    if case["without_meter"] == true { None } else { case["error"].as_str() }
}

/// One of so many cases is run: a sample for tests that must be quick.
fn stride() -> usize {
    std::env::var("HANDLER_CASES_STRIDE").map_or(1, |stride| stride.parse().expect("a number from 1 on"))
}

type Loaded = chain_upgrade::Result<Handler>;

#[test]
fn handler_cases_of_the_vectors_end_as_on_the_node() {
    let file = vectors("handler-cases.json.gz");
    let guests: HashMap<&str, Vec<u8>> =
        list(&file["guests"]).iter().map(|each| (text(&each["name"]), guest_file(each))).collect();
    let states: HashMap<&str, Prepared> =
        list(&file["inputs"]).iter().map(|input| (text(&input["name"]), prepare(input))).collect();
    let mut handlers: HashMap<&str, Loaded> = HashMap::new();
    let (mut count, mut wrong) = (0, Vec::new());
    for case in list(&file["cases"]).iter().step_by(stride()) {
        let (name, label) = (text(&case["guest"]), text(&case["label"]));
        let guest = &guests[name];
        let loaded = handlers.entry(name).or_insert_with(|| Handler::load(guest, None));
        count += 1;
        let found = differences(case, guest, loaded, &states);
        if !found.is_empty() {
            wrong.push(format!("{label}: {}", found.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    println!("handler-cases: {count} as the node's");
}

#[test]
fn files_of_the_vectors_are_refused_as_on_the_node_those_too_that_only_a_meter_refuses() {
    let file = vectors("handler-cases.json.gz");
    let guests: HashMap<&str, Vec<u8>> =
        list(&file["guests"]).iter().map(|each| (text(&each["name"]), guest_file(each))).collect();
    let by_meter = list(&file["refused_by_meter"]);
    assert!(!by_meter.is_empty());
    let refused = list(&file["cases"]).iter().filter(|case| case["input"].is_null());
    for case in refused.chain(by_meter) {
        let checked = check_file(&guests[text(&case["guest"])]).expect("a verdict");
        let code = checked.file_check.refusal().map(|error| error.code().name());
        assert_eq!(code, due_refusal(case), "{}", text(&case["label"]));
    }
}
