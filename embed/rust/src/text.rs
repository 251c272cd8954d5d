//! Text that a guest wrote. It ends up in logs, on terminals and in error messages, so it is cut and made harmless.

use crate::limits::MODULE_NAME_BYTES_MAX;
use std::fmt::Write;

/// Characters that do not show, or change how what is around them shows: controls, marks of direction, those of no width,
/// separators, annotations, tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
        | '\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Line breaks and tabs become spaces, other characters that do not show U+FFFD.
pub(crate) fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The beginning of a name that a file gave: at most so many UTF-16 units, harmless.
pub(crate) fn printable_start(name: &str, units_max: usize) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= units_max
    };
    printable(&name.chars().take_while(fits).collect::<String>())
}

/// The first bytes as text, never cut inside a character; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn guest_text(bytes: &[u8], bytes_max: usize) -> String {
    let mut end = bytes.len().min(bytes_max);
    if end < bytes.len() {
        for _ in 0..3 {
            if bytes[end] & 0xc0 == 0x80 {
                end -= 1;
            }
        }
    }
    printable(&String::from_utf8_lossy(&bytes[..end]))
}

/// The same with at most so many bytes as UTF-8 too: U+FFFD takes three where it is put for one.
pub(crate) fn guest_line(bytes: &[u8], bytes_max: usize) -> String {
    let mut line = guest_text(bytes, bytes_max);
    line.truncate(line.floor_char_boundary(bytes_max));
    line
}

/// UTF-16, little-endian, as AssemblyScript keeps strings.
pub(crate) fn guest_text16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    printable(&char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect::<String>())
}

/// What is wrong with the name of a plan, a module, a store or a check.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.len() > MODULE_NAME_BYTES_MAX {
        return Some(format!("has {} bytes, at most {MODULE_NAME_BYTES_MAX} are allowed", name.len()));
    }
    name.chars().any(char::is_control).then(|| "holds a control character".to_owned())
}

const SHOWN_KEY_BYTES_MAX: usize = 16;

/// Enough of a key to find it by.
pub(crate) fn short_hex(key: &[u8]) -> String {
    let rest = if key.len() > SHOWN_KEY_BYTES_MAX { "…" } else { "" };
    hex(&key[..key.len().min(SHOWN_KEY_BYTES_MAX)]) + rest
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{guest_line, guest_text, guest_text16, name_problem, printable_start};

    #[test]
    fn guest_text_is_cut_between_characters_and_shows_what_is_hidden() {
        assert_eq!(guest_text("aé".as_bytes(), 2), "a");
        assert_eq!(guest_text(b"a\xffb\n\x1b[0m", 100), "a\u{fffd}b \u{fffd}[0m");
        assert_eq!(guest_text("\u{202e}x\u{feff}".as_bytes(), 100), "\u{fffd}x\u{fffd}");
        assert_eq!(guest_line(&[0xff; 4], 5), "\u{fffd}");
        assert_eq!(guest_text16(&[b'a', 0, 0, 0xd8, 7]), "a\u{fffd}");
    }

    #[test]
    fn printable_start_is_harmless_and_never_long() {
        assert_eq!(printable_start("a\"\u{202e}\n", 9), "a\"\u{fffd} ");
        assert_eq!(printable_start("é😀x", 3), "é😀");
        assert_eq!(printable_start("é😀x", 2), "é");
    }

    #[test]
    fn names_follow_the_rules_of_every_host() {
        assert_eq!(name_problem(&"é".repeat(71)).as_deref(), Some("has 142 bytes, at most 140 are allowed"));
        assert_eq!(name_problem("a\u{85}").as_deref(), Some("holds a control character"));
    }
}
