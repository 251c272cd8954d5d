/** Parameters of an RPC call in an address: texts are in quotation marks, single or double. */
import { describe, expect, test } from "vitest";
import { Params } from "../../../../host/serve/rpc/params.js";

const inAddress = (value: string) => Params.ofQuery(new URLSearchParams({ path: value }));

describe("Params.ofQuery().text()", () => {
  test.each([
    [`"/store/upgrade/key"`, "/store/upgrade/key"],
    [`'/store/upgrade/key'`, "/store/upgrade/key"],
    [`'tx.height=5'`, "tx.height=5"],
    [`'it"s'`, `it"s`],
    [`''`, ""],
  ])("%s → what is between the marks", (given, text) => {
    expect(inAddress(given).text("path")).toBe(text);
  });

  test.each(["plain", `'open`, `open'`, `"mixed'`, "'"])("%s → UPG_INVALID_ARGUMENT", (given) => {
    expect(() => inAddress(given).text("path")).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
  });

  test("absent → empty", () => expect(inAddress("''").text("query")).toBe(""));
});
