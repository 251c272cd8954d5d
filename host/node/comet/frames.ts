/**
 * Messages on an ABCI socket: each has its length before it, an unsigned LEB128 number (CometBFT's protoio, since 0.37). What
 * comes is kept as it came until a message is whole, and copied once then, so that a length alone takes no memory.
 */
import { UpgradeError } from "../../base/errors/errors.js";

/** CometBFT's own bound for both directions: math.MaxInt32. A genesis document comes in one message. */
export const FRAME_BYTES_MAX = 2_147_483_647;

/** A gRPC client sends this first. Read as a length, it would make the server wait for a message that never comes. */
const HTTP2_PREFACE = "PRI * HTTP/2.0";
/** Where the engine speaks gRPC at this address. */
const GRPC_REFUSAL =
  'the engine speaks gRPC, and this node serves ABCI by socket: start CometBFT with `--abci socket` (its default), or `abci = "socket"` in its config.toml';

/** Of a 64-bit number; more is malformed. */
const LENGTH_BYTES_MAX = 10;

export class FrameReader {
  readonly #chunks: Uint8Array[] = [];
  #buffered = 0;
  /** Of the message under way; undefined: its length has not arrived whole. */
  #length: number | undefined;
  /** The length as far as it has arrived. */
  #prefix = 0;
  #prefixBytes = 0;
  #hasBegun = false;

  constructor(private readonly bytesMax = FRAME_BYTES_MAX) {}

  /** Bytes of a message that has begun and is not whole. */
  get isMidway(): boolean {
    return this.#prefixBytes > 0 || this.#length !== undefined;
  }

  /**
   * The messages that are whole with these bytes, in order.
   * @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_INVALID_REQUEST_SIZE: where the next one begins is not known after that
   */
  *take(chunk: Uint8Array): Generator<Uint8Array, void> {
    if (!this.#hasBegun && isGrpc(chunk)) throw new UpgradeError("UPG_INVALID_CONFIG", GRPC_REFUSAL);
    this.#hasBegun = true;
    let at = 0;
    while (at < chunk.length || this.#length === 0) {
      if (this.#length === undefined) {
        at = this.#readLength(chunk, at);
        continue;
      }
      const wanted = this.#length - this.#buffered;
      const part = chunk.subarray(at, at + wanted);
      at += part.length;
      if (part.length < wanted) {
        this.#keep(part);
        return;
      }
      yield this.#finish(part);
    }
  }

  /** Returns the place after what it has read; `#length` is set when that is all of it. */
  #readLength(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      this.#prefix += (byte & 0x7f) * 2 ** (7 * this.#prefixBytes);
      this.#prefixBytes++;
      if (this.#prefix > this.bytesMax) throw tooLarge(this.#prefix, this.bytesMax);
      if (byte < 0x80) {
        this.#length = this.#prefix;
        this.#prefix = this.#prefixBytes = 0;
        return at + 1;
      }
      if (this.#prefixBytes === LENGTH_BYTES_MAX) {
        throw new UpgradeError("UPG_INVALID_ARGUMENT", "the length of a message has more than 10 bytes");
      }
    }
    return chunk.length;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#chunks.push(part);
    this.#buffered += part.length;
  }

  #finish(last: Uint8Array): Uint8Array {
    this.#length = undefined;
    if (this.#buffered === 0) return plain(last);
    const whole = Buffer.concat([...this.#chunks, last], this.#buffered + last.length);
    this.#chunks.length = 0;
    this.#buffered = 0;
    return plain(whole);
  }
}

/** Not a Buffer, whose `slice` is no copy. */
const plain = ({ buffer, byteOffset, length }: Uint8Array) => new Uint8Array(buffer, byteOffset, length);

/** A message with its length before it. */
export function frame(message: Uint8Array): Uint8Array[] {
  const prefix: number[] = [];
  let rest = message.length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) prefix.push((rest % 0x80) | 0x80);
  prefix.push(rest);
  return [Uint8Array.from(prefix), message];
}

function tooLarge(length: number, bytesMax: number): UpgradeError {
  return new UpgradeError(
    "UPG_INVALID_REQUEST_SIZE",
    `a message of ${length} bytes or more, at most ${bytesMax} are taken`,
  );
}

const isGrpc = (chunk: Uint8Array) =>
  Buffer.from(chunk.subarray(0, HTTP2_PREFACE.length)).toString("latin1") === HTTP2_PREFACE;
