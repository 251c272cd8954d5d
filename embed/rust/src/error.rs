//! The one error of the crate.

use crate::code::Code;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The one error of this crate: a stable code, a message for people, and facts for machines.
///
/// ```
/// use chain_upgrade::{Code, Error};
///
/// let error = Error::new(Code::NotFoundPlan, "no plan is scheduled");
/// assert_eq!(error.code().name(), "UPG_NOT_FOUND_PLAN");
/// assert_eq!(error.code().exit(), 3);
/// assert_eq!(error.to_string(), "no plan is scheduled");
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    code: Code,
    message: String,
    details: BTreeMap<String, String>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without details.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), details: BTreeMap::new(), source: None }
    }

    /// The same with one more fact.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.details.insert(name.to_owned(), value.to_string());
        self
    }

    /// The same, unless the fact is known already.
    pub(crate) fn or_with(self, name: &str, value: impl ToString) -> Self {
        if self.details.contains_key(name) { self } else { self.with(name, value) }
    }

    /// The same with what caused it.
    #[must_use]
    pub fn caused_by(mut self, source: Arc<dyn std::error::Error + Send + Sync>) -> Self {
        self.source = Some(source);
        self
    }

    /// What programs should look at.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The names and values that the message speaks of. A failed run has `gas`: what was charged until then.
    #[must_use]
    pub fn details(&self) -> &BTreeMap<String, String> {
        &self.details
    }

    /// A thing that cannot be is.
    pub(crate) fn bug(what: &str) -> Self {
        Error::new(Code::BugAssert, format!("{what} (this is a bug, please report it)"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

/// What every fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;
