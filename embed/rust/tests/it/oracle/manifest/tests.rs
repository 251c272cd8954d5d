//! What is wrong with a manifest is said with its path, in the words of every host.

use super::parse;

const GOOD: &str = r#"{"abi":1,"name":"v2","gasLimit":"5","stores":[{"name":"bank","access":"rw","prefixes":["02"]}],
    "versions":{"bank":{"from":[1],"to":2}},"scans":[{"store":"bank","prefix":"0203"}]}"#;

fn refusal(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    parse(GOOD.replacen(from, to, 1).as_bytes()).expect_err("a wrong manifest").to_string()
}

#[test]
fn parse_a_manifest_with_all_that_is_optional_left_out_is_taken() {
    let manifest = parse(GOOD.as_bytes()).expect("a manifest");
    assert_eq!((manifest.gas_limit, manifest.stores[0].is_writable), (5, true));
    assert_eq!(manifest.scans[0].prefix.as_deref(), Some(&[2, 3][..]));
    assert_eq!(manifest.versions["bank"].from.as_deref(), Some(&[1][..]));
}

#[test]
fn parse_a_repeated_an_unknown_and_a_missing_field_are_refused_with_their_path() {
    assert_eq!(refusal("\"abi\":1,", "\"abi\":1,\"abi\":1,"), "manifest: $.abi: this field occurs twice");
    assert_eq!(refusal("\"abi\":1,", "\"abi\":1,\"a b\":1,"), "manifest: $[\"a b\"]: is not a known field");
    assert_eq!(refusal("\"abi\":1,", ""), "manifest: $.abi: is missing");
    assert_eq!(
        refusal("\"access\":\"rw\"", "\"access\":\"w\""),
        "manifest: $.stores[0].access: must be \"r\" or \"rw\""
    );
}

#[test]
fn parse_json_with_a_loophole_is_refused() {
    assert_eq!(refusal("\"abi\":1", "\"abi\":1.0"), "manifest: $.abi: an integer is due, not a fraction or exponent");
    assert_eq!(refusal("\"abi\":1", "\"abi\":01"), "manifest: $.abi: an integer begins with 0");
    assert_eq!(refusal("\"abi\":1", "\"abi\":-0"), "manifest: $.abi: -0 is not an integer");
    assert_eq!(refusal("\"v2\"", "\"\\ud800\""), "manifest: $.name: a string holds half of a surrogate pair");
    assert_eq!(refusal("\"v2\"", "\"\\x\""), "manifest: $.name: unknown escape in a string");
    assert_eq!(refusal("\"v2\"", "\"a\nb\""), "manifest: $.name: a string holds a raw control character");
    let end = parse(format!("{GOOD} 1").as_bytes()).expect_err("two values").to_string();
    assert!(end.starts_with("manifest: $: the end is due at character ") && end.ends_with(", not \"1\""), "{end}");
    assert_eq!(parse(&[b'"', 0xff, b'"']).expect_err("no UTF-8").to_string(), "manifest: $: not UTF-8");
    let deep = format!("{}1{}", "[".repeat(17), "]".repeat(17));
    assert!(parse(deep.as_bytes()).expect_err("deep").to_string().ends_with("nested deeper than 16 levels"));
}

#[test]
fn parse_fields_that_cannot_both_be_are_refused() {
    let outside = "manifest: $.scans[0].prefix: lies outside the prefixes that the manifest gives of store \"bank\"";
    assert_eq!(refusal("\"prefix\":\"0203\"", "\"prefix\":\"03\""), outside);
    let twice = "manifest: $.stores[1].name: store \"bank\" is listed twice";
    assert_eq!(refusal("\"stores\":[", "\"stores\":[{\"name\":\"bank\",\"access\":\"r\"},"), twice);
    assert_eq!(
        refusal("\"from\":[1]", "\"from\":[3]"),
        "manifest: $.versions.bank.from[0]: is above \"to\" (2); a version never goes down"
    );
    assert_eq!(
        refusal("\"to\":2", "\"to\":4294967296"),
        "manifest: $.versions.bank.to: is 4294967296, a version is at most 4294967295"
    );
    let kept = "manifest: $.allows.keepStores[0]: allows what the manifest does not do with \"bank\"";
    assert_eq!(refusal("\"abi\":1", "\"abi\":1,\"allows\":{\"keepStores\":[\"bank\"]}"), kept);
}
