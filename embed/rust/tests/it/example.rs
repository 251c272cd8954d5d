//! The example takes a chain through the upgrade of a real handler, and ends with a code for a file that is none.

use crate::support::{guest_file, list, text, vectors};
use chain_upgrade::Code;

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/host.rs"]
mod host;

#[test]
fn go_takes_a_chain_through_the_upgrade_of_split_balances() {
    let cases = vectors("handler-cases.json.gz");
    let guest = list(&cases["guests"]).iter().find(|guest| text(&guest["name"]) == "split-balances");
    let path = std::env::temp_dir().join(format!("chain-upgrade-example-{}.wasm", std::process::id()));
    std::fs::write(&path, guest_file(guest.expect("the example"))).expect("a file");
    let ended = host::go(path.to_str().expect("a path"));
    std::fs::remove_file(&path).expect("the file");
    ended.expect("an upgrade");
    assert_eq!(host::go("/no/such/file").expect_err("no file").code(), Code::StoreIo);
}
