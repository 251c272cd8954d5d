//! Manifests as JSON has them.

use super::manifest;
use crate::declaration::{Allowance, Declaration, Step, StoreDeclaration, Upgrade};
use crate::text::Text;

const fn step(module: &'static str, from: u64, to: u64) -> Step {
    Step {
        module,
        from,
        to,
        run: None,
    }
}

const fn declared(steps: &'static [Step], allows: &'static [Allowance]) -> Declaration {
    Declaration {
        plan: "a \"plan\"",
        gas_limit: 1_000_000_000_000,
        stores: &[StoreDeclaration {
            name: "s",
            access: "rw",
            upgrade: Upgrade::None,
            prefixes: &[],
        }],
        deleted: &["gone"],
        steps,
        removes: &[],
        scans: &[],
        allows,
        invariants: &[],
    }
}

fn assert_has(text: &Text, part: &str) {
    let json = core::str::from_utf8(text.as_bytes()).expect("UTF-8");
    assert!(json.contains(part), "{json} has no {part}");
}

#[test]
fn manifest_of_quotes_and_the_greatest_gas_is_json() {
    let text = manifest(&declared(&[], &[]));
    assert_has(
        &text,
        r#"{"abi":1,"name":"a \"plan\"","gasLimit":"1000000000000","stores":[{"name":"s","access":"rw"}]"#,
    );
    assert_has(
        &text,
        r#""versions":{},"removes":[],"scans":[],"allows":{}}"#,
    );
}

#[test]
fn manifest_of_steps_in_any_order_has_each_module_once() {
    const STEPS: &[Step] = &[step("m", 2, 5), step("n", 0, 1), step("m", 1, 2)];
    let text = manifest(&declared(STEPS, &[]));
    assert_has(
        &text,
        r#""versions":{"m":{"from":["2","1"],"to":"5"},"n":{"to":"1"}}"#,
    );
}

#[test]
fn manifest_of_what_is_allowed_has_a_list_of_each_kind() {
    let allows = &[
        Allowance {
            what: "writeStores",
            name: "s",
        },
        Allowance {
            what: "emptyVersionMap",
            name: "",
        },
        Allowance {
            what: "deleteStores",
            name: "gone",
        },
    ];
    let text = manifest(&declared(&[], allows));
    assert_has(
        &text,
        r#""allows":{"deleteStores":["gone"],"writeStores":["s"],"emptyVersionMap":true}"#,
    );
}

#[test]
#[should_panic(expected = "migrated and new")]
fn manifest_of_a_module_that_is_new_and_old_panics() {
    const STEPS: &[Step] = &[step("m", 0, 2), step("m", 1, 2)];
    manifest(&declared(STEPS, &[]));
}
