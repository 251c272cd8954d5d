/** gRPC over HTTP/2: how messages are framed, what deadlines and statuses look like. */
import { UpgradeError } from "../../errors.js";

const HEAD_BYTES = 5;

/** A message with its frame: not compressed, its length, its bytes. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/** Takes bytes as they come and gives whole messages. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);

  constructor(private readonly bytesMax: number) {}

  /** Are there bytes of a message that has not ended? */
  get isWithin(): boolean {
    return this.#bytes.length > 0;
  }

  /** @throws UpgradeError UPG_INVALID_REQUEST_SIZE, UPG_INVALID_ARGUMENT for a compressed message */
  take(bytes: Buffer): Buffer[] {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    const messages: Buffer[] = [];
    while (this.#bytes.length >= HEAD_BYTES) {
      const length = this.#bytes.readUInt32BE(1);
      if (length > this.bytesMax) {
        throw new UpgradeError(
          "UPG_INVALID_REQUEST_SIZE",
          `received message larger than max (${length} vs. ${this.bytesMax})`,
        );
      }
      if (this.#bytes[0] !== 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", "compressed messages are not taken");
      const end = HEAD_BYTES + length;
      if (this.#bytes.length < end) break;
      messages.push(this.#bytes.subarray(HEAD_BYTES, end));
      this.#bytes = this.#bytes.subarray(end);
    }
    return messages;
  }
}

const UNIT_MILLIS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
const TIMER_MILLIS_MAX = 2_147_483_647;

/** Milliseconds of a `grpc-timeout`; undefined: there is none. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function timeoutMillis(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(text);
  if (!match) throw new UpgradeError("UPG_INVALID_ARGUMENT", "grpc-timeout is malformed");
  return Math.min(Number(match[1]) * (UNIT_MILLIS[match[2] as string] as number), TIMER_MILLIS_MAX);
}

/** Bytes outside printable ASCII, and the percent sign, are encoded. */
export function statusMessage(text: string): string {
  return Buffer.from(text, "utf8").reduce(
    (encoded, byte) =>
      encoded +
      (byte >= 0x20 && byte < 0x7f && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`),
    "",
  );
}
