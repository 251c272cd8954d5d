//! A panic ends the run with its message, file and line.

use core::fmt::Write;

const BYTES_MAX: usize = 1_024;

struct Message {
    bytes: [u8; BYTES_MAX],
    length: usize,
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = BYTES_MAX - self.length;
        let mut count = text.len().min(room);
        while !text.is_char_boundary(count) {
            count -= 1;
        }
        self.bytes[self.length..self.length + count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

fn end(info: &dyn core::fmt::Display) -> ! {
    let mut message = Message {
        bytes: [0; BYTES_MAX],
        length: 0,
    };
    let _ = write!(message, "{info}");
    let text = core::str::from_utf8(&message.bytes[..message.length]).unwrap_or("a panic");
    crate::report::fail(crate::report::PANICKED, text)
}

#[cfg(not(feature = "std"))]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    end(info)
}

/// Before the first function of the handler runs.
#[cfg(feature = "std")]
pub(crate) fn install() {
    std::panic::set_hook(std::boxed::Box::new(|info| end(info)));
}
