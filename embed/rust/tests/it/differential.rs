//! check.wasm, held against the oracle on files that are good, bad and mutated: verdict and manifest are the same, and both refuse a
//! file for the same reason. The oracle stops at the first.

use crate::oracle::{parse_manifest, read_handler};
use crate::support::guest::{Guest, MANIFEST, get_one, set_one};
use crate::support::mutate::{Random, mutated};
use crate::support::{guest_file, list, text, vectors};
use chain_upgrade::{CheckedFile, Code, check_file};
use wasm_encoder::{CustomSection, Encode, Instruction};

const SEED: u64 = 20_270;
const MODULES: u64 = 2_000;
const MANIFESTS: u64 = 1_000;

/// How the two judged one file.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    Refused,
    /// Only a meter can tell that the metered module is not the file's.
    ForgedMetered,
}

fn compared(file: &[u8], what: &str) -> Verdict {
    let checked = check_file(file).unwrap_or_else(|error| panic!("{what}: {error}"));
    let codes: Vec<Code> = checked.file_check.findings.iter().map(|finding| finding.code).collect();
    match (codes.is_empty(), read_handler(file)) {
        (true, Ok(manifest)) => {
            assert_eq!(checked.file_check.manifest.as_ref(), Some(&manifest), "{what}: manifest");
            require_own_metered(file, &checked, what);
            Verdict::Taken
        }
        (false, Err(error)) => {
            let is_same = is_same_reason(error.code(), &codes);
            assert!(is_same, "{what}: {codes:?}, the oracle says {}: {error}", error.code());
            Verdict::Refused
        }
        (false, Ok(_)) if codes.iter().all(|code| *code == Code::HandlerMetered) => Verdict::ForgedMetered,
        (_, oracle) => panic!("{what}: {codes:?}, the oracle says {:?}", oracle.err()),
    }
}

/// Each reading stops at the first fault that it meets in a module that it cannot decode, so the codes may differ. The oracle validates types of operands before it looks at
/// the manifest, imports and exports; check.wasm leaves them to the engine, which validates a file without other faults.
fn is_same_reason(oracle: Code, codes: &[Code]) -> bool {
    use Code::{
        HandlerExport, HandlerFormat, HandlerImport, HandlerLimit, HandlerManifest, HandlerMemory, HandlerOpcode,
    };
    let of_decoding = [HandlerFormat, HandlerOpcode, HandlerLimit, HandlerMemory, HandlerImport];
    codes.contains(&oracle)
        || (oracle == HandlerFormat && codes.iter().any(|code| [HandlerExport, HandlerManifest].contains(code)))
        || (of_decoding.contains(&oracle) && codes.iter().any(|code| of_decoding.contains(code)))
}

/// The oracle takes the metered module that check.wasm makes.
fn require_own_metered(file: &[u8], checked: &CheckedFile, what: &str) {
    let section = metered_section(&checked.metered);
    if !file.ends_with(&section) && file.len() + section.len() <= 1 << 20 {
        let refused = read_handler(&[file, &section].concat()).err().map(|error| error.to_string());
        // A file that carries it elsewhere would have it twice.
        let is_twice = refused.as_ref().is_some_and(|error| error.contains("more than one custom section"));
        assert!(refused.is_none() || is_twice, "{what}: {refused:?}");
    }
}

fn metered_section(metered: &[u8]) -> Vec<u8> {
    let section = CustomSection { name: "chain-upgrade.metered".into(), data: metered.into() };
    let mut bytes = vec![0];
    section.encode(&mut bytes);
    bytes
}

/// Without the metered module at its end.
fn without_metered(file: &[u8]) -> Vec<u8> {
    let section = metered_section(&check_file(file).expect("a verdict").metered);
    file.strip_suffix(&section[..]).unwrap_or(file).to_vec()
}

/// With its metered module in it.
fn with_metered(file: Vec<u8>) -> Vec<u8> {
    let metered = check_file(&file).expect("a verdict").metered;
    [file, metered_section(&metered)].concat()
}

#[test]
fn guests_of_the_vectors_are_judged_alike() {
    let file = vectors("handler-cases.json.gz");
    let mut verdicts = [0, 0, 0];
    for guest in list(&file["guests"]) {
        verdicts[compared(&guest_file(guest), text(&guest["name"])) as usize] += 1;
    }
    println!("differential: {verdicts:?} guests of the vectors are taken, refused, forged");
}

#[test]
fn mutated_modules_are_judged_alike() {
    let file = vectors("handler-cases.json.gz");
    let guests = list(&file["guests"]).iter().map(guest_file).filter(|file| file.len() < 20_000).step_by(20);
    let carrying: Vec<Vec<u8>> = guests.filter(|file| read_handler(file).is_ok()).collect();
    let mut corpus: Vec<Vec<u8>> = carrying.iter().map(|file| without_metered(file)).collect();
    let by_hand = Guest::running([set_one(), get_one(), vec![Instruction::I32Const(0)]].concat()).file();
    corpus.extend([with_metered(by_hand.clone()), by_hand]);
    corpus.extend(carrying);
    let mut verdicts = [0, 0, 0];
    for round in 0..MODULES {
        let mut random = Random::seeded(SEED + round);
        let picked = random.below(corpus.len());
        let other = random.below(corpus.len());
        let module = mutated(&corpus[picked], &mut random, &corpus[other]);
        verdicts[compared(&module, &format!("seed {SEED}, round {round}")) as usize] += 1;
    }
    println!("differential: {verdicts:?} of {MODULES} mutated modules are taken, refused, forged");
    assert!(verdicts.iter().all(|count| *count > 15), "{verdicts:?}");
}

#[test]
fn mutated_manifests_are_read_alike_and_refused_in_the_same_words() {
    let manifests = [MANIFEST.to_owned(), FULL_MANIFEST.to_owned(), MANIFEST.replace("v2", "\\u00fc \u{1f600}")];
    let mut taken = 0;
    for round in 0..MANIFESTS {
        let mut random = Random::seeded(SEED + round);
        let picked = random.below(manifests.len());
        let text = mutated(manifests[picked].as_bytes(), &mut random, FULL_MANIFEST.as_bytes());
        let what = format!("seed {SEED}, round {round}: {}", String::from_utf8_lossy(&text));
        let file = Guest::default().file_with(&text);
        let found = check_file(&file).expect("a verdict").file_check;
        match parse_manifest(&text) {
            Ok(manifest) => assert_eq!(found.manifest, Some(manifest), "{what}"),
            Err(error) => {
                let message = error.to_string();
                let is_found = found.findings.iter().any(|finding| finding.message.starts_with(&message));
                assert!(found.manifest.is_none() && is_found, "{what}: {message}");
            }
        }
        taken += u64::from(found.manifest.is_some());
    }
    println!("differential: {taken} of {MANIFESTS} mutated manifests are taken");
    assert!((5..MANIFESTS / 2).contains(&taken), "{taken}");
}

const FULL_MANIFEST: &str = r#"{"abi":1,"name":"v2","gasLimit":"1000000000000","stores":[
    {"name":"auth","access":"rw","prefixes":["01","02ff","aB"]},{"name":"new","access":"rw"},{"name":"upgrade","access":"r"}],
    "storeUpgrades":{"added":["x/y"],"renamed":[{"old_key":"old","new_key":"new"}],"deleted":["gone"]},
    "versions":{"auth":{"from":[1,"2"],"to":3},"m-1":{"to":"4294967295"},"ü ⁂":{"from":[0],"to":0}},"removes":["gov","a"],
    "scans":[{"store":"auth","prefix":"02ff00"},{"store":"new"}],
    "allows":{"deleteStores":["gone"],"removeModules":["gov"],"writeStores":["old"],"keepStores":["auth"]}}"#;
