//! The protobuf wire format, as far as the messages between host, core and handlers need it.

pub(crate) const VARINT: u8 = 0;
const FIXED64: u8 = 1;
pub(crate) const BYTES: u8 = 2;

/// Builds a message. Field methods leave out default values, as proto3 does; `message` writes an empty one too.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        self
    }

    fn tag(self, field: u32, kind: u8) -> Self {
        self.varint(u64::from(field) * 8 + u64::from(kind))
    }

    pub(crate) fn uint(self, field: u32, value: u64) -> Self {
        if value == 0 { self } else { self.tag(field, VARINT).varint(value) }
    }

    /// int32, int64: negative numbers take ten bytes.
    pub(crate) fn int(self, field: u32, value: i64) -> Self {
        self.uint(field, value.cast_unsigned())
    }

    pub(crate) fn bytes(self, field: u32, bytes: &[u8]) -> Self {
        if bytes.is_empty() { self } else { self.message(field, bytes) }
    }

    /// A sub-message (or bytes) that is written even when it is empty.
    pub(crate) fn message(self, field: u32, bytes: &[u8]) -> Self {
        let mut written = self.tag(field, BYTES).varint(bytes.len() as u64);
        written.bytes.extend_from_slice(bytes);
        written
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

pub(crate) struct Field<'a> {
    pub(crate) number: u64,
    pub(crate) kind: u8,
    /// Of a varint; 0 otherwise.
    pub(crate) value: u64,
    /// Of a length-delimited field; empty otherwise.
    pub(crate) bytes: &'a [u8],
}

/// The fields of a message in order; the error says what is malformed.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Field<'a>>, String> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let (number, kind) = (tag >> 3, (tag & 7) as u8);
        if number == 0 || tag > u64::from(u32::MAX) {
            return Err(self.malformed("tag"));
        }
        let (value, bytes) = match kind {
            VARINT => (self.varint()?, &[][..]),
            BYTES => {
                let length = self.varint()?;
                (0, self.take(length)?)
            }
            FIXED64 => (0, self.take(8)?),
            _ => return Err(self.malformed(&format!("wire type {kind}"))),
        };
        Ok(Some(Field { number, kind, value, bytes }))
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes.get(self.at).copied();
            self.at += 1;
            match byte {
                Some(byte) if shift < 63 || byte <= 1 => {
                    value |= u64::from(byte & 0x7f) << shift;
                    if byte < 0x80 {
                        return Ok(value);
                    }
                }
                _ => break,
            }
        }
        Err(self.malformed("varint"))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], String> {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let part = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let part = part.ok_or_else(|| self.malformed("length"))?;
        self.at += part.len();
        Ok(part)
    }

    fn malformed(&self, what: &str) -> String {
        format!("malformed protobuf: {what} at byte {}", self.at)
    }
}

/// The fields of a message, those that this host does not know too.
pub(crate) fn all_fields(bytes: &[u8]) -> Result<Vec<Field<'_>>, String> {
    let mut reader = Reader::new(bytes);
    let mut fields = Vec::new();
    while let Some(field) = reader.next()? {
        fields.push(field);
    }
    Ok(fields)
}

/// Varints, one after the other.
pub(crate) fn varints(bytes: &[u8]) -> Result<Vec<u64>, String> {
    let mut reader = Reader::new(bytes);
    let mut values = Vec::new();
    while reader.at < bytes.len() {
        values.push(reader.varint()?);
    }
    Ok(values)
}

pub(crate) fn text(field: &Field<'_>) -> Result<String, String> {
    String::from_utf8(field.bytes.to_vec()).map_err(|_| format!("field {} is not UTF-8", field.number))
}

/// The fields of a message, all known: `kinds[n - 1]` is the wire type of field n.
pub(crate) fn fields<'a>(bytes: &'a [u8], kinds: &[u8]) -> Result<Vec<Field<'a>>, String> {
    let fields = all_fields(bytes)?;
    for field in &fields {
        let due = usize::try_from(field.number).ok().and_then(|number| kinds.get(number - 1));
        if due != Some(&field.kind) {
            return Err(format!("unknown field {}", field.number));
        }
    }
    Ok(fields)
}

/// The same for a message whose fields occur once: by number, minus one.
pub(crate) fn single_fields<'a, const N: usize>(
    bytes: &'a [u8],
    kinds: &[u8; N],
) -> Result<[Option<Field<'a>>; N], String> {
    let mut single = [const { None }; N];
    for field in fields(bytes, kinds)? {
        let number = field.number as usize;
        if single[number - 1].is_some() {
            return Err(format!("field {number} occurs twice"));
        }
        single[number - 1] = Some(field);
    }
    Ok(single)
}
