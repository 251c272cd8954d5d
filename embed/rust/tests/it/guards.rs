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
fn run_guards_decide_by_the_table_of_stores() {
    let nothing = MANIFEST.replace(r#""bank":{"from":[1],"to":2}"#, "");
    let declares = |what: &str| nothing.replace(r#""versions""#, &format!("{what},\"versions\""));
    let (stores, versions) = (stores(), VersionMap::from([("auth".to_owned(), 1), ("coins".to_owned(), 3)]));
    let run = |manifest: &str| {
        let mut input = Input::new("test-1", 7, Timestamp::ZERO, &[], &versions, &stores);
        let table = [("auth", "acc"), ("coins", "bank"), ("coins", "cache"), ("nobody", "new")];
        for (module, store) in table {
            input.module_stores.entry(module.to_owned()).or_default().push(store.to_owned());
        }
        input.vital_modules = vec!["coins".to_owned()];
        writing(manifest).run(input).map(|run| run.report().versions.clone())
    };
    let refused = |manifest: &str, words: &str| {
        let error = run(manifest).expect_err("a mistake");
        assert_eq!((error.code(), error.details().len()), (Code::MigrationVersionMap, 0));
        assert!(error.to_string().contains(words), "{error}");
    };
    let allows_write = r#""allows":{"writeStores":["bank"]}"#;
    refused(&nothing, "the store \"bank\" of the module \"coins\", whose version stays 3");
    refused(&declares(r#""storeUpgrades":{"deleted":["acc"]}"#), "deletes the store \"acc\", and the module \"auth\"");
    let renames = r#""storeUpgrades":{"renamed":[{"old_key":"acc","new_key":"accounts"}]}"#;
    refused(&declares(renames), "takes the store \"acc\" away from the module \"auth\" (renames it to \"accounts\")");
    refused(&declares(r#""removes":["coins"]"#), "removes the module \"coins\", without which");
    let goes = r#""removes":["coins"],"allows":{"removeModules":["coins"]}"#;
    refused(&declares(goes), "removes the module \"coins\" and keeps its store \"bank\"");
    let stays = r#""removes":["coins"],"allows":{"removeModules":["coins"],"keepStores":["bank"]}"#;
    assert_eq!(run(&declares(stays)).expect("a run that is allowed"), VersionMap::from([("auth".to_owned(), 1)]));
    let lost = r#""storeUpgrades":{"deleted":["acc"]},"allows":{"deleteStores":["acc"],"writeStores":["bank"]}"#;
    refused(&declares(lost), "the module \"auth\" is in the version map and has no store (\"acc\")");
    run(&declares(allows_write)).expect("a run that is allowed");
    let one_of_two =
        r#""storeUpgrades":{"deleted":["cache"]},"allows":{"deleteStores":["cache"],"writeStores":["bank"]}"#;
    run(&declares(one_of_two)).expect("a module that keeps another store");
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
