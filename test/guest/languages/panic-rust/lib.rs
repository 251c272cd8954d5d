//! A handler with the standard library: it sums numbers that are written as text, and panics where one is none.
use chain_upgrade_handler::{handler, Writer};
use std::collections::BTreeMap;

handler! {
    plan("panic", 20_000_000_000);
    let bank = store("bank").prefix("01").prefix("02");
    migrate("bank", 1, 2, sum);
}

fn sum() {
    let mut sums = BTreeMap::<u8, u64>::new();
    let mut room = vec![0; 4_096];
    let mut pairs = bank.scan(&[1], &mut room);
    while let Some((key, value)) = pairs.next_pair() {
        let text = String::from_utf8(value.to_vec()).unwrap();
        let number = text.parse::<u64>().unwrap_or_else(|_| panic!("no number: {text}"));
        *sums.entry(key[1]).or_default() += number;
    }
    for (owner, sum) in sums {
        bank.set(Writer::<2>::new().u8(2).u8(owner), &sum.to_be_bytes());
    }
}

