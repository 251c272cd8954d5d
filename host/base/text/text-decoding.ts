/** Texts of messages, as every decoder of the chain reads them. */
import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";
import { decodeLossy, decodeText } from "./text.js";

/**
 * Left to itself protobuf-es takes a byte order mark from the beginning of a text, which Go's decoders keep: state would differ from
 * theirs, and a message from the bytes that were signed. Holds for the whole process, and may be called again.
 */
export function keepByteOrderMarks(): void {
  configureTextEncoding({
    ...getTextEncoding(),
    decodeUtf8: (bytes, isStrict) => (isStrict ? decodeText(bytes) : decodeLossy(bytes)),
  });
}
