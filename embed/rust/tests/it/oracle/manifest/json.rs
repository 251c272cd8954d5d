//! JSON without its loopholes: strict UTF-8, a field occurs once in its object, numbers are integers and keep every digit, nesting
//! is bounded, nothing follows the value.

use crate::oracle::text::quote;
use chain_upgrade::Code;
use chain_upgrade::{Error, Result};

/// Digits of the longest integer that anyone needs, 2^64 - 1.
const INTEGER_DIGITS_MAX: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    Null,
    Boolean(bool),
    Integer(i128),
    Text(String),
    List(Vec<Json>),
    /// In the order of the text.
    Object(Vec<(String, Json)>),
}

pub fn refusal(path: &str, what: &str) -> Error {
    Error::new(Code::HandlerManifest, format!("manifest: {path}: {what}")).with("path", path)
}

pub fn field_path(path: &str, field: &str) -> String {
    let begins = field.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_plain = begins && field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { format!("{path}.{field}") } else { format!("{path}[{}]", quote(field)) }
}

/// Exactly one JSON value by the rules above.
pub fn parse(bytes: &[u8], nesting_max: usize) -> Result<Json> {
    let text = std::str::from_utf8(bytes).map_err(|_| refusal("$", "not UTF-8"))?;
    let mut parser = Parser { text, at: 0, nesting_max };
    let value = parser.value("$", 0)?;
    parser.space();
    if parser.peek().is_some() { Err(parser.unexpected("$", "the end")) } else { Ok(value) }
}

struct Parser<'a> {
    text: &'a str,
    /// In bytes, always between two characters.
    at: usize,
    nesting_max: usize,
}

impl Parser<'_> {
    fn value(&mut self, path: &str, depth: usize) -> Result<Json> {
        self.space();
        match self.peek() {
            Some('{' | '[') if depth == self.nesting_max => {
                Err(refusal(path, &format!("nested deeper than {} levels", self.nesting_max)))
            }
            Some('{') => self.object(path, depth + 1),
            Some('[') => self.list(path, depth + 1),
            Some('"') => self.string(path).map(Json::Text),
            _ => self.word().map_or_else(|| self.integer(path), Ok),
        }
    }

    fn object(&mut self, path: &str, depth: usize) -> Result<Json> {
        self.skip();
        let mut fields: Vec<(String, Json)> = Vec::new();
        if self.take('}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.space();
            if self.peek() != Some('"') {
                return Err(self.unexpected(path, "a field name"));
            }
            let field = self.string(path)?;
            let at = field_path(path, &field);
            if fields.iter().any(|(name, _)| *name == field) {
                return Err(refusal(&at, "this field occurs twice"));
            }
            if !self.take(':') {
                return Err(self.unexpected(&at, "\":\""));
            }
            let value = self.value(&at, depth)?;
            fields.push((field, value));
            if !self.take(',') {
                break;
            }
        }
        if self.take('}') { Ok(Json::Object(fields)) } else { Err(self.unexpected(path, "\",\" or \"}\"")) }
    }

    fn list(&mut self, path: &str, depth: usize) -> Result<Json> {
        self.skip();
        let mut items = Vec::new();
        if self.take(']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(&format!("{path}[{}]", items.len()), depth)?);
            if !self.take(',') {
                break;
            }
        }
        if self.take(']') { Ok(Json::List(items)) } else { Err(self.unexpected(path, "\",\" or \"]\"")) }
    }

    fn word(&mut self) -> Option<Json> {
        let words = [("null", Json::Null), ("true", Json::Boolean(true)), ("false", Json::Boolean(false))];
        let (word, value) = words.into_iter().find(|(word, _)| self.rest().starts_with(word))?;
        self.at += word.len();
        Some(value)
    }

    fn integer(&mut self, path: &str) -> Result<Json> {
        let unsigned = self.rest().strip_prefix('-').unwrap_or(self.rest());
        let sign = self.rest().len() - unsigned.len();
        let digits: &str = &unsigned[..unsigned.bytes().take_while(u8::is_ascii_digit).count()];
        if digits.is_empty() {
            return Err(self.unexpected(path, "a value"));
        }
        if digits.len() > 1 && digits.starts_with('0') {
            return Err(refusal(path, "an integer begins with 0"));
        }
        if digits.len() > INTEGER_DIGITS_MAX {
            return Err(refusal(path, &format!("an integer of over {INTEGER_DIGITS_MAX} digits")));
        }
        if sign == 1 && digits == "0" {
            return Err(refusal(path, "-0 is not an integer"));
        }
        let number: i128 = digits.parse().expect("20 digits are a number");
        self.at += sign + digits.len();
        if matches!(self.peek(), Some('.' | 'e' | 'E')) {
            return Err(refusal(path, "an integer is due, not a fraction or exponent"));
        }
        Ok(Json::Integer(if sign == 1 { -number } else { number }))
    }

    fn string(&mut self, path: &str) -> Result<String> {
        self.skip();
        // Escapes name UTF-16 units, two of which make one character.
        let mut units: Vec<u16> = Vec::new();
        loop {
            match self.next() {
                None => return Err(refusal(path, "a string without its end")),
                Some('"') => break,
                Some(c) if c < ' ' => return Err(refusal(path, "a string holds a raw control character")),
                Some('\\') => units.push(self.escape(path)?),
                Some(c) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            }
        }
        String::from_utf16(&units).map_err(|_| refusal(path, "a string holds half of a surrogate pair"))
    }

    fn escape(&mut self, path: &str) -> Result<u16> {
        let unit = match self.next() {
            Some('u') => {
                let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
                self.at += 4 * usize::from(unit.is_some());
                return unit.ok_or_else(|| refusal(path, "\\u needs four hex digits"));
            }
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            _ => return Err(refusal(path, "unknown escape in a string")),
        };
        // All of them lie below U+0080.
        Ok(unit as u16)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip(&mut self) {
        self.next();
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, c: char) -> bool {
        self.space();
        let is_next = self.peek() == Some(c);
        if is_next {
            self.skip();
        }
        is_next
    }

    /// Characters are counted as UTF-16 units, so that every host names the same place.
    fn unexpected(&self, path: &str, due: &str) -> Error {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |c| quote(c.encode_utf8(&mut [0; 4])));
        let at = self.text[..self.at].encode_utf16().count();
        refusal(path, &format!("{due} is due at character {at}, not {found}"))
    }
}
