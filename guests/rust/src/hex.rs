//! Prefixes of keys as they are declared: hex, in constants.

/// Panics where it is not the hex of at least one byte.
pub(crate) const fn check_hex(text: &str) {
    let bytes = text.as_bytes();
    let mut is_hex = !bytes.is_empty() && bytes.len() % 2 == 0;
    let mut i = 0;
    while i < bytes.len() {
        is_hex &= bytes[i].is_ascii_hexdigit();
        i += 1;
    }
    assert!(
        is_hex,
        "a prefix is an even number of hex digits, without 0x; leave it out to mean every key"
    );
}

/// Does one hex begin with another, in whatever case?
pub(crate) const fn starts_with(text: &str, start: &str) -> bool {
    let (text, start) = (text.as_bytes(), start.as_bytes());
    if start.len() > text.len() {
        return false;
    }
    let mut i = 0;
    while i < start.len() {
        if !text[i].eq_ignore_ascii_case(&start[i]) {
            return false;
        }
        i += 1;
    }
    true
}
