/** Names that an object has twice are found by counting members; the text is looked at only where the count says so. */
import { expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { requireNamesOnce } from "../../../../host/chain/genesis-stream/names-once.js";

const problem = (text: string, value: unknown, members: number): string | undefined => {
  try {
    requireNamesOnce({ text, value, members, path: "document" });
    return undefined;
  } catch (error) {
    return isUpgradeError(error) ? error.message : "another error";
  }
};

test("requireNamesOnce() of nested objects and lists with the right count → their text is not read a second time", () => {
  const value = { a: { b: 1, c: null }, d: [{ e: [] }, [{ f: "" }], 2] };
  expect(problem("no JSON, and not looked at", value, 6)).toBeUndefined();
});

test.each([
  ['{"a":1,"a":2}', 2, "document.a"],
  ['{"a":{"b":1,"c":{"b":2,"b":3}}}', 5, "document.a.c.b"],
  ['[0,{"a":[{"b":1},{"b":1,"b":1}]}]', 4, "document[1].a[1].b"],
])("requireNamesOnce() of %s → UPG_INVALID_GENESIS that names the place", (text, members, place) => {
  expect(problem(text, JSON.parse(text), members)).toBe(`${place}: is given twice`);
});
