//! Plans, and how `plan_encode` and `plan_decode` of the core move their fields: a header of 32 bytes, the name, the info.

use crate::code::Code;
use crate::error::{Error, Result};

const HEADER_BYTES: usize = 32;
const FLAG_CLIENT_STATE: u32 = 1;
/// A text beyond this may not even fit into the core's memory, so its refusal, the core's own, is given here.
const TEXT_BYTES_MAX: usize = 262_144;
const NAME_BYTES_MAX: usize = 140;
const INFO_BYTES_MAX: usize = 65_536;

/// Seconds since 1970 (negative before), and 0 to 999,999,999 nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Since 1970, in UTC.
    pub seconds: i64,
    /// Of that second.
    pub nanos: i32,
}

impl Timestamp {
    /// The zero time of the Cosmos SDK: year 1.
    pub const ZERO: Timestamp = Timestamp { seconds: -62_135_596_800, nanos: 0 };
}

/// `google.protobuf.Any`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Any {
    /// What the value is.
    pub type_url: String,
    /// Its bytes.
    pub value: Vec<u8>,
}

/// What is scheduled: one upgrade at one height.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Names the upgrade and its handler: 1 to 140 bytes, used once on a chain.
    pub name: String,
    /// Of the block that makes the upgrade.
    pub height: i64,
    /// Free text, at most 65,536 bytes; by convention JSON with a `binaries` map.
    pub info: String,
    /// Deprecated: a plan that sets it is refused.
    pub time: Option<Timestamp>,
    /// Deprecated: a plan that sets it is refused. A decoded one has its fields empty, since the core knows only that it is there.
    pub upgraded_client_state: Option<Any>,
}

impl Plan {
    /// A plan with nothing that is deprecated.
    #[must_use]
    pub fn new(name: &str, height: i64, info: &str) -> Self {
        Plan { name: name.to_owned(), height, info: info.to_owned(), ..Plan::default() }
    }

    pub(crate) fn to_fields(&self) -> Result<Vec<u8>> {
        check_room(Code::InvalidPlanName, "name", &self.name, NAME_BYTES_MAX)?;
        check_room(Code::InvalidPlanInfo, "info", &self.info, INFO_BYTES_MAX)?;
        let Timestamp { seconds, nanos } = self.time.unwrap_or(Timestamp::ZERO);
        let flags = if self.upgraded_client_state.is_some() { FLAG_CLIENT_STATE } else { 0 };
        let mut fields = Vec::with_capacity(HEADER_BYTES + self.name.len() + self.info.len());
        fields.extend(self.height.to_le_bytes());
        fields.extend(seconds.to_le_bytes());
        fields.extend(nanos.to_le_bytes());
        fields.extend(flags.to_le_bytes());
        // Both were just found to be short.
        fields.extend((self.name.len() as u32).to_le_bytes());
        fields.extend((self.info.len() as u32).to_le_bytes());
        fields.extend(self.name.as_bytes());
        fields.extend(self.info.as_bytes());
        Ok(fields)
    }

    /// `fields` as the core wrote them.
    pub(crate) fn from_fields(fields: &[u8]) -> Result<Self> {
        let header: Header = fields.first_chunk().ok_or_else(|| Error::bug("plan_decode wrote no header")).map(read)?;
        let texts = &fields[HEADER_BYTES..];
        let (name, info) =
            texts.split_at_checked(header.name_len).ok_or_else(|| Error::bug("plan_decode cut a name"))?;
        let text = |bytes: &[u8]| {
            let refused = |_| Error::new(Code::InvalidPlanBytes, "a plan's name and info must be UTF-8");
            String::from_utf8(bytes.to_vec()).map_err(refused)
        };
        Ok(Plan {
            name: text(name)?,
            height: header.height,
            info: text(info)?,
            time: (header.time != Timestamp::ZERO).then_some(header.time),
            upgraded_client_state: (header.flags == FLAG_CLIENT_STATE).then(Any::default),
        })
    }
}

struct Header {
    height: i64,
    time: Timestamp,
    flags: u32,
    name_len: usize,
}

fn read(bytes: &[u8; HEADER_BYTES]) -> Header {
    let eight = |at: usize| bytes[at..at + 8].try_into().unwrap_or_default();
    let four = |at: usize| bytes[at..at + 4].try_into().unwrap_or_default();
    Header {
        height: i64::from_le_bytes(eight(0)),
        time: Timestamp { seconds: i64::from_le_bytes(eight(8)), nanos: i32::from_le_bytes(four(16)) },
        flags: u32::from_le_bytes(four(20)),
        name_len: u32::from_le_bytes(four(24)) as usize,
    }
}

fn check_room(code: Code, what: &str, text: &str, bytes_max: usize) -> Result<()> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(Error::new(code, format!("{what} expected at most {bytes_max} bytes, got {}: invalid request", text.len())))
}
