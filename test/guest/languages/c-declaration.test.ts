/** What a handler in C lists at its end must be what its manifest has: a difference ends the run, and says of what. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { utf8 } from "../../../host/base/text/bytes.js";
import { bytes, openHandler, runScene, type Scene } from "../../../host/upgrade/test-kit/index.js";
import { ROOT } from "../../house/sources.js";
import { thrownBy } from "../../thrown-by.js";
import { parseManifest } from "../checker/compared-manifest.js";
import { buildCText, LANGUAGES } from "./compilers.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000 });

const missing = LANGUAGES.find(({ name }) => name === "C")?.missing;
const it = test.skipIf(missing);
const title = (text: string) => (missing ? `${text} (skipped: ${missing})` : text);

const SOURCE = `
#include "chain_upgrade_handler.h"
__attribute__((unused)) static void step(void) { cu_set(0, cu_text("stepped"), cu_text("")); }
__attribute__((unused)) static void pair(cu_bytes key, cu_bytes value) { (void)value; cu_delete(0, key); }
__attribute__((unused)) static bool is_so(void) { return true; }
CU_INVARIANTS({"so", is_so, ""});
`;

interface Lists {
  readonly steps?: string;
  readonly scans?: string;
  readonly removes?: string;
}

const MANIFEST = {
  abi: 1,
  name: "p",
  gasLimit: "1000000000",
  stores: [{ name: "bank", access: "rw" }],
  versions: { bank: { from: ["2"], to: "3" } } as Record<string, unknown>,
};
const SCENE: Scene = { stores: { bank: [["k", "v"]] }, versions: { auth: 4, bank: 2, zone: 1 } };

function run(lists: Lists, manifest: object = {}, scene: Scene = SCENE) {
  const { steps = '{"bank", 2, 3, step}', scans = "{0}", removes } = lists;
  const removed = removes === undefined ? "" : `CU_REMOVES(${removes});\n`;
  const source = `${SOURCE}CU_STEPS(${steps});\nCU_SCANS(${scans});\n${removed}CU_HANDLER\n`;
  return runScene(openHandler(buildCText(source, { ...MANIFEST, ...manifest })), scene);
}

const failed = (message: string) => ({ code: "UPG_MIGRATION_FAILED", details: { code: "-13", message } });
const otherMap = (what: string) => ({
  code: "UPG_MIGRATION_VERSION_MAP",
  message: expect.stringMatching(`manifest declares: .*\\b${what}\\b`),
});
const NO_STEP = (module: string) => `CU_STEPS: no step of module "${module}" begins or ends at its stored version`;

describe("a handler in C", () => {
  it(
    title(
      "whose lists are its manifest's → the versions that the manifest has, a new one in its place, no removed one",
    ),
    () => {
      const versions = { bank: { from: ["2"], to: "4" }, auth: { from: ["3", "5"], to: "5" }, crisis: { to: "1" } };
      const lists = {
        steps:
          '{"bank", 2, 3, step}, {"bank", 3, 4, NULL}, {"zz", 0, 7, NULL}, {"auth", 3, 5, NULL}, {"crisis", 0, 1, NULL}, {"a", 0, 1, NULL}',
        removes: '"zone", "gone"',
      };
      const manifest = { versions: { ...versions, zz: { to: "7" }, a: { to: "1" } }, removes: ["gone", "zone"] };
      const { error, versions: after } = run(lists, manifest, {
        ...SCENE,
        versions: { auth: 5, bank: 2, old: 0, zone: 1 },
      });
      expect([error, after]).toEqual([
        undefined,
        new Map([
          ["a", 1n],
          ["auth", 5n],
          ["bank", 4n],
          ["crisis", 1n],
          ["old", 0n],
          ["zz", 7n],
        ]),
      ]);
    },
  );

  it(title("with a step of a module whose name is misspelled → the run fails with the name, before any step"), () => {
    const { error, stores } = run({ steps: '{"bank", 2, 3, step}, {"bnk", 2, 3, step}' });
    expect(error).toMatchObject(failed(NO_STEP("bnk")));
    expect(stores.store("bank").has(bytes("stepped"))).toBe(false);
  });

  it.each([
    ["without a step of a module of the manifest", "{0}", "bank"],
    ["with a step to another version than the manifest's", '{"bank", 2, 5, step}', "bank"],
    ["with a new module that the manifest does not have", '{"bank", 2, 3, step}, {"mint", 0, 1, NULL}', "mint"],
  ])(title("%s → the host refuses the versions, and names it"), (_, steps, what) => {
    expect(run({ steps }).error).toMatchObject(otherMap(what));
  });

  it(
    title("without a module that the manifest removes, or with one that it keeps → the host refuses the versions"),
    () => {
      expect(run({}, { removes: ["zone"] }).error).toMatchObject(otherMap("zone"));
      expect(run({ removes: '"zone"' }).error).toMatchObject(otherMap("zone"));
    },
  );

  it(title("with fewer scans than the manifest → the run fails at the first that has no function"), () => {
    const scans = [{ store: "bank" }, { store: "bank" }];
    const fewer = failed("CU_SCANS: the manifest has a scan that is not in this list");
    expect(run({ scans: "{pair, NULL}" }, { scans }).error).toMatchObject(fewer);
    expect(run({ scans: "{0}" }, { scans }).error).toMatchObject(fewer);
  });

  it(title("with more scans than the manifest → the run fails in the end"), () => {
    const more = failed("CU_SCANS: the manifest does not have as many scans as this list");
    expect(run({ scans: "{pair, NULL}" }).error).toMatchObject(more);
    expect(run({ scans: "{pair, NULL}, {pair, NULL}" }, { scans: [{ store: "bank" }] }).error).toMatchObject(more);
  });
});

const DECLARED = `
#include "chain_upgrade_handler.h"
#define GAS 10000000000ULL
CU_PLAN("tour", GAS);
CU_STORES(store(bank, "bank", "01", "02"), add_store(notes, "notes"), rename_store(after, "before", "after"), read_store(auth, "auth"),
          delete_store("gone"));
__attribute__((unused)) static void pair(cu_bytes key, cu_bytes value) { if (key.at[0] == 1) cu_set(notes, key, value); }
__attribute__((unused)) static bool is_so(void) { return true; }
`;
const ITEMS = `migrate("bank", 1, 2, NULL), migrate("bank", 2, 3, NULL), add_module("notes", 1, NULL), remove_module("gone"),
  scan(bank, "01", pair, NULL), scan(auth, "", pair, NULL), invariant("so, (it) \\"is\\"", is_so, "a \\\\ message"),
  allow("deleteStores", "before"), allow("writeStores", "after")`;

describe("a handler in C that declares its manifest", () => {
  it(
    title("CU_PLAN, CU_STORES, CU_DECLARE → the manifest, and the lists that fit it; the section is taken out"),
    () => {
      const handler = openHandler(buildCText(`${DECLARED}CU_DECLARE(${ITEMS})`));
      const tour = JSON.parse(readFileSync(join(ROOT, "test/guest/languages/tour.json"), "utf8")) as object;
      expect(handler.manifest).toEqual(parseManifest(utf8(JSON.stringify(tour))));
      expect(Buffer.from(handler.bytes).includes("chain_upgrade_declaration")).toBe(false);
      const scene = {
        stores: { bank: [["\u0001a", "v"]], before: [], auth: [], gone: [] },
        versions: { bank: 1, gone: 1 },
      } as Scene;
      const { error, stores, versions, checks } = runScene(handler, scene);
      expect([error, versions]).toEqual([
        undefined,
        new Map([
          ["bank", 3n],
          ["notes", 1n],
        ]),
      ]);
      expect(stores.store("notes").has(bytes("\u0001a"))).toBe(true);
      expect(checks.map(({ name }) => name)).toEqual(['so, (it) "is"']);
    },
  );

  it(
    title("what cannot be declared → UPG_INVALID_ARGUMENT with the words of the kit; --manifest beside it is refused"),
    () => {
      const refused = (items: string, manifest?: object) =>
        thrownBy(() => buildCText(`${DECLARED}CU_DECLARE(${items})`, manifest));
      const saying = (words: string) => ({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(words) });
      expect(refused('migrate("bank", 3, 2, NULL)')).toMatchObject(saying('migrate("bank", 3, 2): a step goes up'));
      expect(refused('migrate("bank", 2, 3, NULL), scan(notes, "", pair, NULL)')).toMatchObject(
        saying('scan("notes")'),
      );
      expect(refused('migrate("bank", 2, GAS + 1, NULL)')).toMatchObject(
        saying("argument 3 of migrate() is no whole number"),
      );
      expect(refused(ITEMS, MANIFEST)).toMatchObject(saying("leave --manifest out"));
    },
  );
});
