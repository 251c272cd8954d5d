/** `handler scene`: real pairs as a scene. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { partsOf, sceneFromState, sceneText } from "../../../../host/cli/author/state-scene.js";
import { openHandler, parseFixture, runScene } from "../../../../host/upgrade/test-kit/index.js";
import { makeBlocksUpTo, makeHome, withNode } from "../../../e2e/prepared-home.js";
import { genesisText } from "../../../scenario/genesis-text.js";

const ROOT = join(import.meta.dirname, "../../../..");
const none = new Uint8Array();

describe("sceneFromState()", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-scene-"));
  const home = join(folder, "home");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let stored: [string, string][];
  beforeAll(() => {
    makeHome(home, genesisText());
    stored = withNode({ path: home, handlers: join(folder, "none") }, (node) => {
      makeBlocksUpTo(node, 3n);
      const view = node.app.multiStore.at(2n).store("auth");
      return [...view.iterate()].map(([key, value]) => [`0x${toHex(key)}`, `0x${toHex(value)}`]);
    });
  });

  test("of a store and a height → its pairs in order, up to the limit, with the chain's id, versions, height and time", () => {
    const { fixture, height, pairs, cut } = sceneFromState({
      home,
      limit: 2,
      height: 2n,
      parts: [{ store: "auth", prefix: none }],
    });
    expect(fixture.stores?.["auth"]).toEqual(stored.slice(0, 2));
    expect([height, pairs, cut]).toEqual([2n, 2, stored.length > 2 ? [{ store: "auth", prefix: none }] : []]);
    expect(fixture).toMatchObject({
      height: 3,
      versions: { auth: 1 },
      chainId: expect.any(String),
      time: expect.any(Number),
    });
    expect(parseFixture(sceneText(fixture))).toEqual({ ...fixture, stores: { ...fixture.stores } });
  });

  test("of what a handler declares → a scene that it runs on", () => {
    const handler = openHandler(readFileSync(join(ROOT, "build/examples/split-balances.wasm")));
    const parts = partsOf(handler.manifest);
    expect(parts).toEqual([{ store: "auth", prefix: Uint8Array.of(1) }]);
    const { fixture } = sceneFromState({ home, limit: 50, parts });
    expect(Object.values(fixture.stores?.["auth"] ?? []).every(([key]) => String(key).startsWith("0x01"))).toBe(true);
    expect(runScene(handler, parseFixture(sceneText(fixture))).error).toBeUndefined();
  });

  test.each([
    ["no home", () => ({ home: join(folder, "nowhere"), height: undefined, store: "auth" }), "UPG_INVALID_CONFIG"],
    ["a height that is absent", () => ({ home, height: 99n, store: "auth" }), "UPG_NOT_FOUND_VERSION"],
    ["a store that is absent", () => ({ home, height: undefined, store: "bnak" }), "UPG_NOT_FOUND_STORE"],
  ] as const)("of %s → its code", (_, given, code) => {
    const { store, ...where } = given();
    const scene = () => sceneFromState({ ...where, limit: 1, parts: [{ store, prefix: none }] });
    expect(scene).toThrowError(expect.objectContaining({ code }));
  });
});
