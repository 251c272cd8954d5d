//! The codes are those of docs/errors.md: the same names, numbers and exit statuses.

use chain_upgrade::Code;

#[test]
fn codes_are_those_of_the_document() {
    let page = include_str!("../../../../docs/errors.md");
    let rows = page.lines().filter(|line| line.starts_with("| <a id="));
    let mut listed = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].split('`').nth(1).expect("a name");
        let (number, exit): (i64, u8) =
            (cells[2].parse().expect("a number"), cells[3].parse().expect("an exit status"));
        let code = Code::of_number(number).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!((code.name(), i64::from(code.number()), code.exit()), (name, number, exit));
        listed += 1;
    }
    assert_eq!(listed, Code::ALL.len());
}
