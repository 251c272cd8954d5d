//! What an upgrade must not do by accident, and a rehearsal.

use crate::support::guest::{Guest, MANIFEST, set_one};
use chain_upgrade::{Code, Handler, Input, MemoryStore, Run, SharedStore, StoreChange, Stores, Timestamp, VersionMap};
use std::sync::Arc;
use wasm_encoder::Instruction;

fn writing(manifest: &str) -> Handler {
    let run = [set_one(), vec![Instruction::I32Const(0)]].concat();
    Handler::load(&Guest { manifest: manifest.to_owned(), run, ..Guest::default() }.file(), None).expect("a handler")
}

fn stores() -> Stores {
    let store = || Arc::new(MemoryStore::default()) as SharedStore;
    Stores::from([("bank".to_owned(), store()), ("new".to_owned(), store())])
}

fn run(manifest: &str, versions: &[(&str, u64)], stores: &Stores, without_guards: bool) -> chain_upgrade::Result<Run> {
    let versions: VersionMap = versions.iter().map(|(module, version)| ((*module).to_owned(), *version)).collect();
    let mut input = Input::new("test-1", 7, Timestamp::ZERO, &[], &versions, stores);
    input.without_guards = without_guards;
    writing(manifest).run(input)
}

/// Refused, and with the allowance, or without guards, taken.
fn refused_unless(manifest: &str, allowed: &str, versions: &[(&str, u64)]) {
    let error = run(manifest, versions, &stores(), false).expect_err("a mistake");
    assert_eq!(error.code(), Code::MigrationVersionMap);
    assert!(error.to_string().contains("declare allows."), "{error}");
    run(manifest, versions, &stores(), true).expect("a run without guards");
    run(&manifest.replacen("\"versions\"", &format!("{allowed},\"versions\""), 1), versions, &stores(), false)
        .expect("a run that is allowed");
}

#[test]
fn run_a_mistake_is_refused_unless_the_manifest_allows_it() {
    let no_versions = MANIFEST.replace(r#""bank":{"from":[1],"to":2}"#, "");
    refused_unless(&no_versions, r#""allows":{"emptyVersionMap":true}"#, &[]);
    refused_unless(&no_versions, r#""allows":{"writeStores":["bank"]}"#, &[("bank", 1)]);
    let deletes = MANIFEST.replace(r#""versions""#, r#""storeUpgrades":{"deleted":["old"]},"versions""#);
    refused_unless(&deletes, r#""allows":{"deleteStores":["old"]}"#, &[("bank", 1), ("old", 1)]);
    let removes = MANIFEST.replace(r#""versions""#, r#""removes":["gov"],"versions""#);
    refused_unless(&removes, r#""allows":{"removeModules":["gov"]}"#, &[("bank", 1), ("gov", 1)]);
}

#[test]
fn run_a_new_module_whose_store_has_pairs_is_refused() {
    let manifest = MANIFEST.replace(r#""bank":{"from":[1],"to":2}"#, r#""bank":{"from":[1],"to":2},"new":{"to":1}"#);
    run(&manifest, &[("bank", 1)], &stores(), false).expect("an empty store");
    let stores = stores();
    stores["new"].set(b"k", b"v").expect("a store in memory");
    let error = run(&manifest, &[("bank", 1)], &stores, false).expect_err("it would begin again over them");
    assert_eq!(error.code(), Code::MigrationVersionMap);
    assert_eq!(stores["bank"].get(&[0]).expect("a store in memory"), None);
}

#[test]
fn rehearse_says_what_would_change_and_changes_nothing() {
    let (stores, versions) = (stores(), VersionMap::from([("bank".to_owned(), 1)]));
    let handler = writing(MANIFEST);
    let rehearse = || handler.rehearse(Input::new("test-1", 7, Timestamp::ZERO, &[], &versions, &stores));
    let change =
        |added, changed, unchanged| StoreChange { name: "bank".to_owned(), added, changed, removed: 0, unchanged };
    assert_eq!(rehearse().expect("a rehearsal").changes, [change(1, 0, 0)]);
    assert_eq!(stores["bank"].get(&[0]).expect("a store in memory"), None);
    stores["bank"].set(&[0], &[7]).expect("a store in memory");
    assert_eq!(rehearse().expect("a rehearsal").changes, [change(0, 1, 0)]);
    stores["bank"].set(&[0], &[0]).expect("a store in memory");
    let rehearsal = rehearse().expect("a rehearsal");
    assert_eq!((rehearsal.changes, rehearsal.warnings.len()), (vec![change(0, 0, 1)], 0));
}
