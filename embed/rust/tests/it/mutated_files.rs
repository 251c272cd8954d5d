//! This host's verdicts on files of a campaign, and what running the taken ones gives: `npm run embed:mutated` compares all hosts.

use crate::support::to_hex;
use chain_upgrade::{Error, Handler, Input, MemoryStore, SharedStore, Stores, Timestamp, VersionMap, check_file};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

const GAS: u64 = 3_000_000;
const FILE_BYTE_GAS: u64 = 1_000;

#[test]
#[ignore = "a campaign runs it"]
fn judge_mutated_files() {
    let files = std::fs::read(std::env::var("MUTATED_FILES").expect("MUTATED_FILES")).expect("the files");
    // Running a handler compiles it, which is slow without optimisation.
    let runs = std::env::var("MUTATED_RUNS").map_or(1, |stride| stride.parse::<usize>().expect("a number"));
    let (mut rest, mut lines, mut spent, mut count) = (&files[..], String::new(), Duration::ZERO, 0);
    while let Some((length, after)) = rest.split_first_chunk() {
        let (file, after) = after.split_at(u32::from_le_bytes(*length) as usize);
        rest = after;
        let start = Instant::now();
        let checked = check_file(file).expect("a verdict");
        spent += start.elapsed();
        let verdict = match checked.file_check.refusal() {
            Some(error) => refused(&error),
            None if runs > 0 && count % runs == 0 => ran(file, &checked.metered),
            None => json!({ "metered": sha256(&checked.metered) }),
        };
        writeln!(lines, "{verdict}").expect("a text");
        count += 1;
    }
    writeln!(lines, "{}", json!({ "milliseconds": spent.as_secs_f64() * 1e3 })).expect("a text");
    std::fs::write(std::env::var("MUTATED_VERDICTS").expect("MUTATED_VERDICTS"), lines).expect("a file");
}

fn refused(error: &Error) -> Value {
    let detail = |name: &str| error.details().get(name).cloned().unwrap_or_default();
    json!({ "code": error.code().name(), "function": detail("function"), "offset": detail("offset") })
}

/// Over empty stores.
fn ran(file: &[u8], metered: &[u8]) -> Value {
    let handler = Handler::load(file, None).expect("it was checked");
    let manifest = handler.manifest();
    let store = |name: &String| (name.clone(), Arc::new(MemoryStore::default()) as SharedStore);
    let stores: Stores = manifest.stores.iter().map(|each| store(&each.name)).collect();
    let stored =
        manifest.versions.iter().filter_map(|(module, each)| Some((module.clone(), *each.from.as_ref()?.first()?)));
    let versions: VersionMap = stored.collect();
    let mut input = Input::new("test-1", 7, Timestamp { seconds: 1_700_000_000, nanos: 0 }, &[], &versions, &stores);
    input.gas_limit = Some(GAS + FILE_BYTE_GAS * file.len() as u64);
    input.without_guards = true;
    let (end, gas, receipt) = match handler.run(input) {
        Ok(run) => {
            let receipt = run.receipt(&BTreeMap::new()).encode().expect("a receipt");
            ("done", run.report().gas.to_string(), sha256(&receipt))
        }
        Err(error) => {
            let gas = error.details().get("gas").cloned().unwrap_or_default();
            (error.code().name(), gas, String::new())
        }
    };
    json!({ "metered": sha256(metered), "end": end, "gas": gas, "receipt": receipt })
}

fn sha256(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}
