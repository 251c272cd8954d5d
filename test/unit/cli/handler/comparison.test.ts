/** What two builds of a handler differ in, as `chaind handler diff` shows it. */
import "../../../serve-chain.js";
import { expect, test } from "vitest";
import { compareHandlers } from "../../../../host/author/comparison.js";
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
