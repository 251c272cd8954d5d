/** gRPC over HTTP/2: how messages are framed, what deadlines and statuses look like. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { toUpperHex } from "../../../base/text/bytes.js";

/** Numbers of statuses that are no error of ours, but one of how the call was made. */
export const STATUS = {
  ok: 0,
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The call is not made as gRPC says; the text is for the client. */
export class ProtocolError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const HEAD_BYTES = 5;
const PART_BYTES_MIN = 256;

/** A message with its frame: not compressed, its length, its bytes. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/** The message of bytes that are one whole frame and nothing besides, as most requests come; undefined: read them. */
export function wholeMessage(bytes: Buffer, bytesMax: number): Buffer | undefined {
  const length = bytes.length - HEAD_BYTES;
  if (length < 0 || length > bytesMax || bytes[0] !== 0 || bytes.readUInt32BE(1) !== length) return undefined;
  return bytes.subarray(HEAD_BYTES);
}

/**
 * Takes bytes as they come and gives whole messages. What is not whole yet is copied, in room that doubles: bytes that
 * come one by one neither keep alive the large buffers they came in nor are moved each time.
 */
export class FrameReader {
  #part: Buffer | undefined;
  #filled = 0;

  constructor(private readonly bytesMax: number) {}

  /** Bytes of a message that has not ended. */
  get partBytes(): number {
    return this.#filled;
  }

  /** @throws UpgradeError UPG_INVALID_REQUEST_SIZE; ProtocolError for a compressed message */
  take(bytes: Buffer): Buffer[] {
    const whole = this.#part ? this.#append(bytes) : bytes;
    const messages: Buffer[] = [];
    let at = 0;
    while (whole.length - at >= HEAD_BYTES) {
      const length = whole.readUInt32BE(at + 1);
      this.#check(whole[at] as number, length);
      const end = at + HEAD_BYTES + length;
      if (whole.length < end) break;
      messages.push(whole.subarray(at + HEAD_BYTES, end));
      at = end;
    }
    if (at === whole.length) {
      this.#part = undefined;
      this.#filled = 0;
    } else if (at > 0 || !this.#part) {
      this.#part = undefined;
      this.#filled = 0;
      this.#append(whole.subarray(at));
    }
    return messages;
  }

  #check(flag: number, length: number): void {
    if (length > this.bytesMax) {
      throw new UpgradeError(
        "UPG_INVALID_REQUEST_SIZE",
        `received message larger than max (${length} vs. ${this.bytesMax})`,
      );
    }
    // Calls that name an encoding are refused before.
    if (flag !== 0)
      throw new ProtocolError(STATUS.internal, "the message is compressed, and no grpc-encoding was named");
  }

  #append(bytes: Buffer): Buffer {
    const filled = this.#filled + bytes.length;
    if (!this.#part || this.#part.length < filled) {
      const roomier = Buffer.allocUnsafeSlow(Math.max(PART_BYTES_MIN, filled, 2 * this.#filled));
      this.#part?.copy(roomier, 0, 0, this.#filled);
      this.#part = roomier;
    }
    bytes.copy(this.#part, this.#filled);
    this.#filled = filled;
    return this.#part.subarray(0, filled);
  }
}

const UNIT_MILLIS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
const TIMER_MILLIS_MAX = 2_147_483_647;

/** Milliseconds of a `grpc-timeout`; undefined: there is none. @throws ProtocolError */
export function timeoutMillis(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(text);
  if (!match) throw new ProtocolError(STATUS.internal, "grpc-timeout is malformed");
  return Math.min(Number(match[1]) * (UNIT_MILLIS[match[2] as string] as number), TIMER_MILLIS_MAX);
}

/** `application/grpc`, with the name of an encoding or parameters after it; gRPC-Web is another protocol. */
export function isGrpc(contentType: string | undefined): boolean {
  if (contentType === "application/grpc") return true;
  return contentType !== undefined && /^application\/grpc(?:\+proto)?[ \t]*(?:;|$)/i.test(contentType);
}

/** Bytes outside printable ASCII, and the percent sign, are encoded. */
export function statusMessage(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text;
  return Buffer.from(text, "utf8").reduce(
    (encoded, byte) =>
      encoded +
      (byte >= 0x20 && byte < 0x7f && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${toUpperHex(Uint8Array.of(byte))}`),
    "",
  );
}
