//! How much more of something a metered body has than the body that it is made of, at most. A module that no meter made could keep a
//! compiler for minutes, so the metered module is held to this before it is compiled. docs/abi.md has the numbers, and the
//! repository's test/guest/metered-growth.test.ts holds the meter to them.
//!
//! The meter copies a body and puts code in. Around it, once: two locals, two blocks, the price of the entry, a look at the stack,
//! and what is given back at the end. At each place where control splits or joins it may take a price, the price of far loads (an
//! `if`), and look whether gas is left (a `br_if`): 50 bytes, 2 branches, 10 values. An `if`, which is one branch, has two such
//! places. A call hands the gas over and back, and far loads may be priced again after it. A `memory.grow`, a branch, becomes a call.

use super::cost::BodyCost;

/// What it is, by its name in docs/abi.md; how much more once, for each branch of the plain body, for each of its calls.
pub struct Growth {
    pub what: &'static str,
    pub once: u64,
    pub of_branch: u64,
    pub of_call: u64,
    of: fn(&BodyCost) -> u64,
}

const fn growth(what: &'static str, [once, of_branch, of_call]: [u64; 3], of: fn(&BodyCost) -> u64) -> Growth {
    Growth { what, once, of_branch, of_call, of }
}

pub const GROWTHS: [Growth; 8] = [
    growth("bytes", [110, 100, 31], |cost| cost.bytes),
    growth("locals", [2, 0, 0], |cost| cost.locals),
    growth("blocks inside each other", [3, 0, 0], |cost| cost.depth),
    growth("loops", [0, 0, 0], |cost| cost.loops),
    growth("loops inside each other", [0, 0, 0], |cost| cost.loop_depth),
    growth("branches", [6, 4, 1], |cost| cost.branches),
    growth("values", [22, 20, 4], |cost| cost.values),
    growth("calls", [0, 1, 0], |cost| cost.calls),
];

/// The first body of which the meter would not make so much. The one that it adds, in place of `memory.grow`, is made of none.
pub fn excess(file: &[BodyCost], metered: &[BodyCost]) -> Option<String> {
    let none = BodyCost::default();
    metered.iter().enumerate().find_map(|(index, cost)| {
        let plain = file.get(index).unwrap_or(&none);
        GROWTHS.iter().find_map(|Growth { what, once, of_branch, of_call, of }| {
            let (count, most) = (of(cost), of(plain) + once + of_branch * plain.branches + of_call * plain.calls);
            let what = || {
                format!("its function body {index} has {what}: {count}, metering makes at most {most} of the file's")
            };
            (count > most).then(what)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{BodyCost, GROWTHS, excess};

    #[test]
    fn growths_are_those_of_the_document() {
        // A crate that was downloaded alone has no documents.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/abi.md");
        let Ok(page) = std::fs::read_to_string(path) else { return };
        let table = page.split_once("\n| of a body |").expect("the table").1;
        let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
        let row =
            |each: &super::Growth| format!("| {} | {} | {} | {} |", each.what, each.once, each.of_branch, each.of_call);
        assert_eq!(rows, GROWTHS.iter().map(row).collect::<Vec<_>>());
    }

    #[test]
    fn excess_takes_the_most_that_metering_makes_and_nothing_beyond() {
        let plain = BodyCost { bytes: 100, branches: 10, values: 3, calls: 1, ..BodyCost::default() };
        let most = BodyCost { bytes: 1_241, locals: 2, depth: 3, branches: 57, values: 229, calls: 11, ..plain };
        assert_eq!(excess(&[plain], &[most]), None);
        for (more, words) in [
            (BodyCost { bytes: 1_242, ..most }, "bytes: 1242, metering makes at most 1241"),
            (BodyCost { locals: 3, ..most }, "locals: 3, metering makes at most 2"),
            (BodyCost { depth: 4, ..most }, "blocks inside each other: 4"),
            (BodyCost { loops: 1, ..most }, "loops: 1, metering makes at most 0"),
            (BodyCost { loop_depth: 1, ..most }, "loops inside each other: 1"),
            (BodyCost { branches: 58, ..most }, "branches: 58, metering makes at most 57"),
            (BodyCost { values: 230, ..most }, "values: 230, metering makes at most 229"),
            (BodyCost { calls: 12, ..most }, "calls: 12, metering makes at most 11"),
        ] {
            let what = excess(&[plain], &[more]).unwrap_or_default();
            assert!(what.contains(words), "{what}");
        }
    }

    #[test]
    fn excess_the_function_that_the_meter_adds_is_made_of_no_body() {
        let grow = BodyCost { bytes: 81, locals: 1, depth: 1, branches: 6, values: 22, ..BodyCost::default() };
        assert_eq!(excess(&[], &[grow]), None);
        let what = excess(&[], &[BodyCost { branches: 7, ..grow }]).unwrap_or_default();
        assert!(what.contains("function body 0 has branches: 7, metering makes at most 6"), "{what}");
    }
}
