//! Text that grows in constants.

const BYTES_MAX: usize = 16_384;

/// Text of at most 16 KiB that grows in constants.
pub struct Text {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl Text {
    pub(crate) const fn new() -> Text {
        Text {
            bytes: [0; BYTES_MAX],
            length: 0,
        }
    }

    /// Its bytes.
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// The text itself; `N` is its length.
    pub const fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        let mut i = 0;
        while i < N {
            out[i] = self.bytes[i];
            i += 1;
        }
        out
    }

    /// What it holds.
    #[cfg(test)]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(crate) const fn byte(&mut self, byte: u8) {
        assert!(self.length < BYTES_MAX, "the manifest has more than 16 KiB");
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    pub(crate) const fn raw(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            self.byte(bytes[i]);
            i += 1;
        }
    }

    pub(crate) const fn string(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.byte(b'"');
        let mut i = 0;
        while i < bytes.len() {
            if bytes[i] == b'"' || bytes[i] == b'\\' {
                self.byte(b'\\');
            }
            assert!(bytes[i] >= 0x20, "a name has a control character");
            self.byte(bytes[i]);
            i += 1;
        }
        self.byte(b'"');
    }

    pub(crate) const fn strings(&mut self, list: &[&str]) {
        self.byte(b'[');
        let mut i = 0;
        while i < list.len() {
            self.comma(i);
            self.string(list[i]);
            i += 1;
        }
        self.byte(b']');
    }

    /// As decimal text between quotes: JSON's numbers do not hold all of them.
    pub(crate) const fn number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.byte(b'"');
        while at < digits.len() {
            self.byte(digits[at]);
            at += 1;
        }
        self.byte(b'"');
    }

    pub(crate) const fn comma(&mut self, written: usize) {
        if written > 0 {
            self.byte(b',');
        }
    }
}

/// Are they the same text?
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
