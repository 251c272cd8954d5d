// @ts-nocheck: TypeScript knows no decorators of functions; the AssemblyScript compiler does, and checks the types.
// The compression function over four lanes: word i of lane j is in vector i, part j.

export const LANES: u32 = 4;

/** H(0) of 5.3.3. */
const initial: usize = memory.data<u32>(
  [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
  16,
);

/** K of 4.2.2. */
const constants: usize = memory.data<u32>(
  [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ],
  16,
);

/** H of each lane, W of the block, and where each lane's block is. */
const state: usize = memory.data(8 * 16, 16);
const schedule: usize = memory.data(64 * 16, 16);
const blocks: usize = memory.data(4 * 4, 16);

export function resetLane(lane: u32): void {
  for (let i: u32 = 0; i < 8; i++) store<u32>(state + 16 * i + 4 * lane, load<u32>(initial + 4 * i));
}

export function pointLane(lane: u32, block: usize): void {
  store<u32>(blocks + 4 * lane, <u32>block);
}

export function readDigest(lane: u32, to: usize): void {
  for (let i: u32 = 0; i < 8; i++) store<u32>(to + 4 * i, bswap(load<u32>(state + 16 * i + 4 * lane)));
}

@inline
function rotr(x: v128, n: i32): v128 {
  return v128.or(i32x4.shr_u(x, n), i32x4.shl(x, 32 - n));
}

@inline
function bigEndian(x: v128): v128 {
  return i8x16.shuffle(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** Words 4 g … 4 g + 3 of all lanes' blocks. */
@inline
function loadWords(g: u32): void {
  const a = v128.load(load<u32>(blocks) + 16 * g);
  const b = v128.load(load<u32>(blocks, 4) + 16 * g);
  const c = v128.load(load<u32>(blocks, 8) + 16 * g);
  const d = v128.load(load<u32>(blocks, 12) + 16 * g);
  const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
  const abHigh = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
  const cdHigh = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
  const to = schedule + 64 * g;
  v128.store(to, bigEndian(v128.shuffle<u64>(ab, cd, 0, 2)));
  v128.store(to, bigEndian(v128.shuffle<u64>(ab, cd, 1, 3)), 16);
  v128.store(to, bigEndian(v128.shuffle<u64>(abHigh, cdHigh, 0, 2)), 32);
  v128.store(to, bigEndian(v128.shuffle<u64>(abHigh, cdHigh, 1, 3)), 48);
}

/** W of 6.2.2, step 1. */
function expand(): void {
  for (let g: u32 = 0; g < 4; g++) loadWords(g);
  for (let w = schedule + 16 * 16; w < schedule + 64 * 16; w += 16) {
    const early = v128.load(w - 15 * 16);
    const late = v128.load(w - 2 * 16);
    const s0 = v128.xor(v128.xor(rotr(early, 7), rotr(early, 18)), i32x4.shr_u(early, 3));
    const s1 = v128.xor(v128.xor(rotr(late, 17), rotr(late, 19)), i32x4.shr_u(late, 10));
    v128.store(w, i32x4.add(i32x4.add(v128.load(w - 16 * 16), s0), i32x4.add(v128.load(w - 7 * 16), s1)));
  }
}

/** T1 of step 3, for round t. */
@inline
function first(e: v128, f: v128, g: v128, h: v128, t: u32): v128 {
  const sum = v128.xor(v128.xor(rotr(e, 6), rotr(e, 11)), rotr(e, 25));
  const word = i32x4.add(v128.load(schedule + 16 * t), v128.load_splat<u32>(constants + 4 * t));
  return i32x4.add(i32x4.add(h, sum), i32x4.add(v128.bitselect(f, g, e), word));
}

/** T2. Maj(a, b, c) is c where a and b differ, and a where they do not. */
@inline
function second(a: v128, b: v128, c: v128): v128 {
  const sum = v128.xor(v128.xor(rotr(a, 2), rotr(a, 13)), rotr(a, 22));
  return i32x4.add(sum, v128.bitselect(c, a, v128.xor(a, b)));
}

@inline
function addTo(i: u32, x: v128): void {
  v128.store(state + 16 * i, i32x4.add(v128.load(state + 16 * i), x));
}

/** One block of every lane. Eight rounds are written out, so that no word moves from name to name. */
export function compress(): void {
  expand();
  let a = v128.load(state);
  let b = v128.load(state, 16);
  let c = v128.load(state, 32);
  let d = v128.load(state, 48);
  let e = v128.load(state, 64);
  let f = v128.load(state, 80);
  let g = v128.load(state, 96);
  let h = v128.load(state, 112);
  for (let t: u32 = 0; t < 64; t += 8) {
    h = first(e, f, g, h, t);
    d = i32x4.add(d, h);
    h = i32x4.add(h, second(a, b, c));
    g = first(d, e, f, g, t + 1);
    c = i32x4.add(c, g);
    g = i32x4.add(g, second(h, a, b));
    f = first(c, d, e, f, t + 2);
    b = i32x4.add(b, f);
    f = i32x4.add(f, second(g, h, a));
    e = first(b, c, d, e, t + 3);
    a = i32x4.add(a, e);
    e = i32x4.add(e, second(f, g, h));
    d = first(a, b, c, d, t + 4);
    h = i32x4.add(h, d);
    d = i32x4.add(d, second(e, f, g));
    c = first(h, a, b, c, t + 5);
    g = i32x4.add(g, c);
    c = i32x4.add(c, second(d, e, f));
    b = first(g, h, a, b, t + 6);
    f = i32x4.add(f, b);
    b = i32x4.add(b, second(c, d, e));
    a = first(f, g, h, a, t + 7);
    e = i32x4.add(e, a);
    a = i32x4.add(a, second(b, c, d));
  }
  addTo(0, a);
  addTo(1, b);
  addTo(2, c);
  addTo(3, d);
  addTo(4, e);
  addTo(5, f);
  addTo(6, g);
  addTo(7, h);
}
