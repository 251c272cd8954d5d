/** Bytes of a document, read a part at a time. */
import { expect, test } from "vitest";
import { memorySource, readRange } from "../../../../host/base/files/byte-source.js";
import { utf8 } from "../../../../host/base/text/bytes.js";

const source = memorySource(utf8("0123456789"));

test.each([
  ["within the document", 2, 5, "234"],
  ["up to its end", 7, 10, "789"],
  ["past its end → as far as it goes, no zeros", 7, 14, "789"],
  ["all of it past the end → nothing", 10, 12, ""],
])("readRange() %s", (_, start, end, text) => {
  expect(readRange(source, start, end)).toEqual(utf8(text));
});
