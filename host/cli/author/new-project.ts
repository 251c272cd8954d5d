/**
 * The files of a new handler project: a migration that works, its scene, and its test. For the example chain's plan v2 it
 * is the example's own, since only that leads from the first layout to what the second version reads.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { VERSION } from "../../base/terminal/version.js";
import { COMPILER_VERSION, packageFolder } from "./compiler.js";
import { installedFrom } from "./installed-from.js";

export interface NewProject {
  readonly name: string;
  readonly plan: string;
  /** Folder of the package chain-upgrade that this program is part of. */
  readonly packageRoot: string;
}

/** Text by path, in the order of reading. */
export function projectFiles(project: NewProject): ReadonlyMap<string, string> {
  return new Map([
    ["README.md", readme(project)],
    ...(project.plan === FIRST_PLAN ? firstMigration(project) : countedHolders(project)),
    ["assembly/tsconfig.json", `{ "extends": "assemblyscript/std/assembly.json", "include": ["./**/*.ts"] }\n`],
    ["package.json", packageJson(project)],
    [".npmrc", "install-links=false\nignore-scripts=true\naudit=false\nfund=false\n"],
    [".gitignore", "node_modules/\nbuild/\n"],
  ]);
}

/** Of the example chain; every later plan begins with the layout that it leaves. */
const FIRST_PLAN = "v2";

function countedHolders(project: NewProject): [path: string, text: string][] {
  return [
    ["assembly/index.ts", handlerSource(project)],
    ["fixtures/three-holders.json", FIXTURE],
    ["test/handler.test.js", TEST],
  ];
}

function firstMigration({ packageRoot }: NewProject): [path: string, text: string][] {
  const example = join(packageRoot, "examples/split-balances");
  const files = ["assembly/index.ts", "assembly/supply.ts", "fixtures/three-accounts.json"];
  return [
    ...files.map((path): [string, string] => [path, readFileSync(join(example, path), "utf8")]),
    ["test/handler.test.js", FIRST_TEST],
  ];
}

/** Made from a checkout, a project uses that checkout, and needs no network; else what this program was installed from. */
function packageJson({ name, packageRoot }: NewProject): string {
  const isCheckout = basename(dirname(packageRoot)) !== "node_modules" && existsSync(join(packageRoot, "host"));
  const compiler = isCheckout ? packageFolder("assemblyscript", packageRoot) : undefined;
  const json = {
    name:
      name
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]+/g, "-")
        .replace(/^[._-]+/, "") || "handler",
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      build: "chaind handler build",
      test: "chaind handler build && chaind handler test && node --test",
    },
    dependencies: { "chain-upgrade": isCheckout ? `file:${packageRoot}` : (installedFrom(packageRoot) ?? VERSION) },
    devDependencies: { assemblyscript: isPinned(compiler) ? `file:${compiler}` : COMPILER_VERSION },
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function isPinned(folder: string | undefined): boolean {
  if (folder === undefined) return false;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version === COMPILER_VERSION;
}

const readme = ({ name, plan }: NewProject) => `# ${name}

The upgrade handler of plan \`${plan}\`: one \`.wasm\` that migrates the state of a chain in its upgrade block.

    npm install
    npm run build     # build/handler.wasm, its SHA-256, its gas; handler.lock.json says what it was made of;
                      # handler.map.json has its functions and lines, for when it fails
    npm test          # builds, puts it through the standard checks, runs test/
    npx chaind handler test --watch    # the same checks again whenever something changes

\`assembly/index.ts\` is the handler, \`fixtures/\` holds scenes (the state before, and the expected result).
`;

const handlerSource = ({
  plan,
}: NewProject) => `// Counts the holders of each denomination, so that nobody has to walk all balances for it.
//
//   bank  02 | length | address | denom  → amount                        stays as it is
//   bank  03 | denom                     → holders, 8 bytes big-endian   is new
import { Bytes, invariant, migrate, plan, scan, store, Writer } from "chain-upgrade/handler";

// The declaration: the build makes the manifest of it. What a function uses is declared above the line that names it.
plan(${JSON.stringify(plan)}, 20_000_000_000);
const bank = store("bank").prefix("02").prefix("03");

const denom = new Bytes();
const key = new Writer();
const value = new Writer();
let balances: u64 = 0;

migrate("bank", 2, 3);
scan(bank, "02", onBalance);
invariant("holders", isEveryBalanceCounted, "not every balance is counted");

/** Called for each pair of the scan. \`balance\` and \`amount\` are good until it returns. */
function onBalance(balance: Bytes, amount: Bytes): void {
  denom.part(balance, 2 + balance.u8At(1));
  key.clear().u8(0x03).bytes(denom);
  const counted = bank.get(key);
  let holders: u64 = 0;
  if (counted !== null) holders = counted.be64At(0);
  bank.set(key, value.clear().be64(holders + 1));
  balances += 1;
}

/** Looked at after everything, in production too: when it does not hold, nothing of the upgrade stays. */
function isEveryBalanceCounted(): bool {
  let holders: u64 = 0;
  const counts = bank.scan(Bytes.hex("03"));
  while (counts.next()) holders += counts.value.be64At(0);
  return holders == balances;
}
`;

const FIXTURE = `{
  "stores": {
    "bank": [
      [["0x0205", "alice", "stake"], "7"],
      [["0x0203", "bob", "stake"], "11"],
      [["0x0203", "bob", "token"], "5"]
    ]
  },
  "expect": {
    "stores": {
      "bank": [
        [["0x0205", "alice", "stake"], "7"],
        [["0x0203", "bob", "stake"], "11"],
        [["0x0203", "bob", "token"], "5"],
        [["0x03", "stake"], "0x0000000000000002"],
        [["0x03", "token"], "0x0000000000000001"]
      ]
    }
  }
}
`;

const TEST = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertStandardChecks, bytes, openHandler, runScene } from "chain-upgrade/test";

// The map is for failures: it names functions and lines.
const map = readFileSync("build/handler.map.json", "utf8");
const handler = openHandler(readFileSync("build/handler.wasm"), { map });

const scene = {
  stores: {
    bank: [
      [["0x0205", "alice", "stake"], "7"],
      [["0x0203", "bob", "stake"], "11"],
    ],
  },
};

test("two holders of one denomination → one count of two", () => {
  const run = runScene(handler, scene);
  assert.equal(run.ok, true, run.error?.message);
  assert.deepEqual(run.diff.bank, [{ key: bytes("0x03", "stake"), before: undefined, after: bytes("0x0000000000000002") }]);
  assert.equal(run.versions.get("bank"), 3n);
});

test("no balances → nothing is written", () => {
  assert.deepEqual(runScene(handler, {}).diff, {});
});

test("the standard checks hold", () => {
  assertStandardChecks(handler, scene);
});
`;

const FIRST_TEST = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertStandardChecks, bytes, openHandler, parseFixture, runScene } from "chain-upgrade/test";

// The map is for failures: it names functions and lines.
const map = readFileSync("build/handler.map.json", "utf8");
const handler = openHandler(readFileSync("build/handler.wasm"), { map });
const scene = parseFixture(readFileSync("fixtures/three-accounts.json", "utf8"));

test("accounts with coins → the supply is their sum", () => {
  const run = runScene(handler, scene);
  assert.equal(run.ok, true, run.error?.message);
  assert.deepEqual(run.stores.store("bank").get(bytes("0x00", "plums")), bytes("12"));
});

test("the standard checks hold", () => {
  assertStandardChecks(handler, scene);
});
`;
