//! Changes bytes a little, at random: what a broken disk, a buggy compiler or somebody with bad intentions would do.

const CHANGES_MAX: usize = 4;
const CHUNK_BYTES_MAX: usize = 64;
/// Bytes that mean much in WebAssembly: ends of LEBs, types, opcodes of control and of what is refused.
const TELLING: [u8; 18] =
    [0x00, 0x01, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x3f, 0x40, 0x7c, 0x7e, 0x7f, 0x80, 0xfc, 0xfd, 0xff];

/// Numbers that look random and are the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }
}

/// Small changes are the likeliest: they are what gets past the first checks. `other` is where pieces are taken from.
pub fn mutated(bytes: &[u8], random: &mut Random, other: &[u8]) -> Vec<u8> {
    let mut result = bytes.to_vec();
    let changes = [1, 1 + random.below(CHANGES_MAX)][random.below(2)];
    for _ in 0..changes {
        if random.below(3) == 0 { change_part(&mut result, random, other) } else { change_byte(&mut result, random) }
    }
    result
}

fn change_byte(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    let Some(byte) = bytes.get_mut(at) else { return };
    *byte = match random.below(4) {
        0 => *byte ^ (1 << random.below(8)),
        1 => random.below(256) as u8,
        2 => TELLING[random.below(TELLING.len())],
        _ => byte.wrapping_add([1, 255][random.below(2)]),
    };
}

fn change_part(bytes: &mut Vec<u8>, random: &mut Random, other: &[u8]) {
    let at = random.below(bytes.len() + 1);
    let end = bytes.len().min(at + 1 + random.below(CHUNK_BYTES_MAX));
    match random.below(4) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(end..end, copy);
        }
        2 => {
            let from = random.below(other.len());
            let piece = other[from..other.len().min(from + end - at)].to_vec();
            bytes.splice(at..end, piece);
        }
        _ => bytes.truncate(at),
    }
}
