/** What two builds of a handler differ in, as `chaind handler diff` shows it. */
import { expect, test } from "vitest";
import { compareHandlers } from "../../../../host/cli/author/comparison.js";
import { build, guest } from "../../../guest/build.js";

const withVersions = (versions: string) =>
  build(guest(), `{"abi":1,"name":"v2","gasLimit":"1","stores":[],"versions":${versions}}`);

test.each(["constructor", "toString", "bank"])(
  "compareHandlers(): module %s in one of two manifests → added",
  (name) => {
    const { manifest } = compareHandlers(withVersions("{}"), withVersions(`{"${name}":{"to":1}}`));
    expect(manifest).toHaveLength(1);
    expect(manifest[0]).toMatchObject({ a: null, b: { to: 1 } });
    expect(manifest[0]?.path).toContain(name);
  },
);

test("compareHandlers(): one more import moves the number of every function → one without a name is found again by its place", () => {
  const more = "(func (result i64) (i64.const 5)) (func (result i64) (i64.const 6))";
  const one = '(import "env" "one" (func (param i32)))';
  const [before, after] = [build(guest({ imports: one, more })), build(guest({ imports: `${one} ${one}`, more }))];
  expect(compareHandlers(before, after).functions).toEqual([]);
  const other = more.replace("const 6", "const 7");
  const { functions } = compareHandlers(before, build(guest({ imports: `${one} ${one}`, more: other })));
  expect(functions).toMatchObject([{ change: "changed" }]);
});
