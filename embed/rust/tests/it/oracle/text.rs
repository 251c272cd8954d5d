//! Names and hex of a file, as every host reads and shows them.

const NAME_BYTES_MAX: usize = 140;
const QUOTED_UNITS_MAX: usize = 100;

/// Characters that do not show, or change how what is around them shows.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
        | '\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn shown(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// A name that a file gave, for a message: in quotes, harmless, never long.
pub fn quote(name: &str) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= QUOTED_UNITS_MAX
    };
    let kept: String = name.chars().take_while(fits).collect();
    let rest = if kept.len() < name.len() { "…" } else { "" };
    let mut quoted = String::from("\"");
    for c in kept.chars().map(shown) {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted + rest + "\""
}

/// What is wrong with the name of a plan, a module or a store.
pub fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.len() > NAME_BYTES_MAX {
        return Some(format!("has {} bytes, at most {NAME_BYTES_MAX} are allowed", name.len()));
    }
    name.chars().any(char::is_control).then(|| "holds a control character".to_owned())
}

/// Digits in pairs, and nothing else.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    text.as_bytes().chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[test]
fn quote_is_harmless_and_never_long() {
    assert_eq!(quote("a\"\\\n"), "\"a\\\"\\\\ \"");
    assert_eq!(quote(&"x".repeat(101)), format!("\"{}…\"", "x".repeat(100)));
}

#[test]
fn names_and_hex_follow_the_rules_of_every_host() {
    assert_eq!(name_problem(&"é".repeat(71)).as_deref(), Some("has 142 bytes, at most 140 are allowed"));
    assert_eq!(name_problem("a\u{85}").as_deref(), Some("holds a control character"));
    assert_eq!(unhex("0aFf"), Some(vec![0x0a, 0xff]));
    assert_eq!((unhex("0"), unhex("0g"), unhex("+1")), (None, None, None));
}
