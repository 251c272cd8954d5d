//! Names of plans, modules and stores, by the rules of every node, in constants.

const NAME_BYTES_MAX: usize = 140;
const STORE_BYTES_MAX: usize = 128;

/// Panics where it cannot be the name of a plan or of a module.
pub(crate) const fn check_name(name: &str) {
    let bytes = name.as_bytes();
    assert!(
        !bytes.is_empty() && bytes.len() <= NAME_BYTES_MAX,
        "a name has 1 to 140 bytes"
    );
    let mut i = 0;
    while i < bytes.len() {
        let is_c1 = bytes[i] == 0xc2 && bytes[i + 1] < 0xa0;
        assert!(
            bytes[i] >= 0x20 && bytes[i] != 0x7f && !is_c1,
            "a name has a control character"
        );
        i += 1;
    }
}

/// Panics where it cannot be the name of a store.
pub(crate) const fn check_store_name(name: &str) {
    let bytes = name.as_bytes();
    assert!(
        !bytes.is_empty() && bytes.len() <= STORE_BYTES_MAX,
        "a store's name has 1 to 128 bytes"
    );
    let mut part = 0;
    let mut dots = 0;
    let mut i = 0;
    while i < bytes.len() {
        let byte = bytes[i];
        assert!(
            byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'_' | b'.' | b'/' | b'-'),
            "a store's name consists of a to z, 0 to 9, _ . / and -"
        );
        if byte == b'/' {
            check_part(part, dots);
            part = 0;
            dots = 0;
        } else {
            part += 1;
            dots += (byte == b'.') as usize;
        }
        i += 1;
    }
    check_part(part, dots);
}

const fn check_part(length: usize, dots: usize) {
    assert!(
        length > 0 && (dots < length || length > 2),
        "no part of a store's name between slashes is empty, \".\" or \"..\""
    );
}
