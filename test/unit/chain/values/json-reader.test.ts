/** Values of JSON as documents and responses have them: what is there counts, and a fallback is for what is not. */
import { expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { JsonReader } from "../../../../host/chain/values/json-reader.js";

const read = (value: unknown) => new JsonReader({ value }, "document").get("value");

test("text(), boolean(), integer() with a fallback, the value is there → the value, not the fallback", () => {
  expect(read("a").text("b")).toBe("a");
  expect(read("").text("b")).toBe("");
  expect(read(true).boolean(false)).toBe(true);
  expect(read(false).boolean(true)).toBe(false);
  expect(read("7").integer(9n)).toBe(7n);
  expect(read(0).integer(9n)).toBe(0n);
});

test.each([undefined, null])("text(), boolean(), integer() of %s → the fallback", (absent) => {
  expect(read(absent).text("b")).toBe("b");
  expect(read(absent).boolean(true)).toBe(true);
  expect(read(absent).boolean(false)).toBe(false);
  expect(read(absent).integer(9n)).toBe(9n);
});

test.each([
  ["text()", (value: JsonReader) => value.text()],
  ["boolean()", (value: JsonReader) => value.boolean()],
  ["integer()", (value: JsonReader) => value.integer()],
])("%s of nothing, and of another kind → an error that names the place", (_, ask) => {
  for (const value of [undefined, [], {}]) {
    let error: unknown;
    try {
      ask(read(value));
    } catch (thrown) {
      error = thrown;
    }
    expect(isUpgradeError(error) && error.message).toContain("document.value");
  }
});
