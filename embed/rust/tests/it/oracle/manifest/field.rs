//! A JSON value that knows its path, so that its reader can say what is wrong where.

use super::json::{Json, field_path, refusal};
use chain_upgrade::{Error, Result};

pub struct Field<'a> {
    path: String,
    value: &'a Json,
}

/// The fields of an object that has been checked for missing and unknown ones.
pub struct Object<'a> {
    fields: Vec<(&'a str, Field<'a>)>,
}

impl<'a> Object<'a> {
    pub fn required(&self, name: &str) -> Result<&Field<'a>> {
        Ok(self.optional(name).unwrap_or_else(|| panic!("field {name} was not checked")))
    }

    pub fn optional(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, field)| field)
    }
}

impl<'a> Field<'a> {
    pub fn root(value: &'a Json) -> Self {
        Field { path: "$".to_owned(), value }
    }

    /// An object that has all of `required`, perhaps some of `optional`, and nothing else.
    pub fn object(&self, required: &[&str], optional: &[&str]) -> Result<Object<'a>> {
        let fields = self.entries()?;
        for name in required {
            if !fields.iter().any(|(field, _)| field == name) {
                return Err(refusal(&field_path(&self.path, name), "is missing"));
            }
        }
        match fields.iter().find(|(name, _)| !required.contains(name) && !optional.contains(name)) {
            Some((_, field)) => Err(field.wrong("is not a known field")),
            None => Ok(Object { fields }),
        }
    }

    /// The fields of an object whose names are data, in the order of the text.
    pub fn entries(&self) -> Result<Vec<(&'a str, Field<'a>)>> {
        let Json::Object(fields) = self.value else { return Err(self.expected("an object")) };
        let entry =
            |(name, value): &'a (String, Json)| (name.as_str(), Field { path: field_path(&self.path, name), value });
        Ok(fields.iter().map(entry).collect())
    }

    pub fn items(&self, max: usize) -> Result<Vec<Field<'a>>> {
        let Json::List(items) = self.value else { return Err(self.expected("a list")) };
        if items.len() > max {
            return Err(self.wrong(&format!("has {} items, at most {max} are allowed", items.len())));
        }
        let item = |(index, value)| Field { path: format!("{}[{index}]", self.path), value };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub fn text(&self) -> Result<&'a str> {
        match self.value {
            Json::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// A decimal string without sign or leading zeros, at most `max`.
    pub fn decimal(&self, max: u64) -> Result<u64> {
        let text = self.text()?;
        let is_plain = text == "0" || !text.starts_with('0');
        let is_decimal = (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) && is_plain;
        match text.parse::<i128>() {
            Ok(value) if is_decimal => self.at_most(value, max),
            _ => Err(self.wrong("must be a decimal number as a string")),
        }
    }

    pub fn boolean(&self) -> Result<bool> {
        match self.value {
            Json::Boolean(value) => Ok(*value),
            _ => Err(self.wrong("must be true or false")),
        }
    }

    /// An unsigned 64-bit integer.
    pub fn integer(&self) -> Result<u64> {
        match self.value {
            Json::Integer(value) if *value < 0 => Err(self.wrong("must not be negative")),
            Json::Integer(value) => self.at_most(*value, u64::MAX),
            _ => Err(self.expected("an integer")),
        }
    }

    /// The same, also as a decimal string, for writers whose JSON numbers end at 2^53.
    pub fn u64(&self) -> Result<u64> {
        if matches!(self.value, Json::Text(_)) { self.decimal(u64::MAX) } else { self.integer() }
    }

    pub fn wrong(&self, what: &str) -> Error {
        refusal(&self.path, what)
    }

    fn at_most(&self, value: i128, max: u64) -> Result<u64> {
        let fits = u64::try_from(value).ok().filter(|value| *value <= max);
        fits.ok_or_else(|| self.wrong(&format!("is {value}, at most {max} is allowed")))
    }

    fn expected(&self, kind: &str) -> Error {
        let got = match self.value {
            Json::Null => "null",
            Json::Boolean(_) => "a boolean",
            Json::Integer(_) => "an integer",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        };
        self.wrong(&format!("must be {kind}, not {got}"))
    }
}
