// `npm run mutants -- --seed 1 --count 40`: small faults in the sources, one at a time; the tests of the room must find each.
// `--known` plants the faults that once survived. A file is changed in place and put back, also on SIGINT; it must be
// committed before. A fault that survives is printed with the command that showed it, and the exit status is 1.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");
const TEST_SECONDS_MAX = 300;

/**
 * Tests of each room: the narrow ones first. A mutant that is alive after them has survived. Those that start programs of
 * dist/ are left out: the fault is in the sources.
 */
const TESTS = {
  api: ["test/unit/api"],
  author: ["test/unit/cli/handler"],
  chain: ["test/unit/chain", "test/scenario/transactions.test.ts", "test/scenario"],
  cli: ["test/unit/cli"],
  client: ["test/unit/cli"],
  shell: ["test/unit/cli"],
  comet: ["test/unit/commitment", "test/vectors/comet.test.ts"],
  commitment: ["test/unit/commitment", "test/unit/store", "test/vectors/iavl.test.ts"],
  core: ["test/core"],
  engine: ["test/unit/engine", "test/unit/api"],
  handler: ["test/unit/handler", "test/guest"],
  harness: ["test/unit/harness", "test/guest/examples"],
  modules: ["test/unit/chain", "test/unit/api", "test/scenario", "test/vectors/gov-tally.test.ts"],
  "plan-info": ["test/unit/upgrade", "test/vectors/plan-info.test.ts", "test/data"],
  store: ["test/unit/store", "test/vectors/multistore.test.ts", "test/vectors/histories.test.ts"],
  upgrade: ["test/unit/upgrade", "test/scenario", "test/vectors/histories.test.ts"],
  wallet: ["test/unit/cli/keyring", "test/unit/cli/client", "test/unit/cli/tx"],
};

const KNOWN = [
  [
    "host/upgrade/migrations.ts",
    "version < consensusVersion; version++",
    "version <= consensusVersion; version++",
    "test/unit/upgrade",
  ],
  ["host/chain/block.ts", "used >= blockGasMax", "used > blockGasMax", "test/scenario/transactions.test.ts"],
  [
    "host/api/rpc/params.ts",
    "if (/^'.*'$/.test(value)) return value.slice(1, -1);",
    "",
    "test/unit/api/params.test.ts",
  ],
  [
    "host/engine/blocks/mempool.ts",
    "this.#seen.size <= this",
    "this.#seen.size < this",
    "test/unit/engine/mempool.test.ts",
  ],
  ["host/harness/standard-checks.ts", "of [wrong, later]", "of [wrong]", "test/unit/harness"],
  [
    "host/chain/account-key.ts",
    "count <= SIGNATURES_MAX",
    "count < SIGNATURES_MAX",
    "test/scenario/transactions.test.ts",
  ],
  ["host/upgrade/halt-next.ts", "  30: (facts) =>", "  31: (facts) =>", "test/unit/upgrade/halt-next.test.ts"],
];

const OPERATORS = new Map(
  Object.entries({
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "===": "!==",
    "!==": "===",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
  }),
);

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    room: { type: "string" },
    known: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

/** A stream of numbers from 0 to 2^32 - 1 that the seed alone decides (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Every place of a file where one token changes what it computes: comparisons, logic, sums, numbers, truth values, negations. */
function placesOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places = [];
  const add = (node, to) => {
    const start = node.getStart(source);
    const { line } = source.getLineAndCharacterOfPosition(start);
    places.push({ file, start, end: node.getEnd(), from: text.slice(start, node.getEnd()), to, line: line + 1 });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const to = OPERATORS.get(node.operatorToken.getText(source));
      // A text that is put together has no minus.
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (to && !isText) add(node.operatorToken, to);
    } else if (ts.isNumericLiteral(node)) add(node, `${Number(node.text.replaceAll("_", "")) + 1}`);
    else if (ts.isBigIntLiteral(node)) add(node, `${BigInt(node.text.slice(0, -1).replaceAll("_", "")) + 1n}n`);
    else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "true");
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return places;
}

function filesOf(room) {
  const files = readdirSync(join(root, "host", room), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith("-wasm.ts"))
    .sort()
    .map((file) => `host/${room}/${file}`);
}

/** One room after another, a file of it, a place in it: large rooms are not tried more than small ones. */
function* randomMutants(random, count) {
  const rooms = values.room ? [values.room] : Object.keys(TESTS);
  for (let made = 0; made < count; ) {
    const room = rooms[made % rooms.length];
    const files = filesOf(room);
    const places = placesOf(files[random(files.length)]);
    if (places.length === 0) continue;
    made++;
    yield { ...places[random(places.length)], tests: testsFor(room) };
  }
}

function testsFor(room) {
  return TESTS[room].filter((path) => existsSync(join(root, path)));
}

function knownMutants() {
  return KNOWN.map(([file, from, to, tests]) => {
    const text = readFileSync(join(root, file), "utf8");
    const start = text.indexOf(from);
    if (start < 0) throw new Error(`${file} has no "${from}" any more: change the list of known faults`);
    return {
      file,
      start,
      end: start + from.length,
      from,
      to,
      line: text.slice(0, start).split("\n").length,
      tests: [tests],
    };
  });
}

/** True when a test fails. A run that takes too long counts as found: the fault made something endless. */
function isFound(path) {
  return new Promise((done) => {
    const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", path, "--bail", "1", "--reporter", "dot"];
    const child = spawn(process.execPath, args, { cwd: root, stdio: "ignore" });
    const timer = setTimeout(() => child.kill("SIGKILL"), TEST_SECONDS_MAX * 1_000);
    child.once("close", (status) => {
      clearTimeout(timer);
      done(status !== 0);
    });
  });
}

/** Paths whose tests pass on the sources as they are: one that fails anyway finds nothing. */
const passing = new Map();

async function isUsable(path) {
  if (!passing.has(path)) {
    passing.set(path, !(await isFound(path)));
    if (!passing.get(path)) console.log(`not used: ${path} fails without a fault`);
  }
  return passing.get(path);
}

let putBack = () => undefined;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    putBack();
    process.exit(130);
  });
}

async function foundBy({ file, start, end, to, tests }) {
  const path = join(root, file);
  const original = readFileSync(path, "utf8");
  if (execFileSync("git", ["status", "--porcelain", "--", file], { cwd: root, encoding: "utf8" }).trim() !== "") {
    throw new Error(`${file} has changes that are not committed: commit them first`);
  }
  putBack = () => writeFileSync(path, original);
  for (const test of tests) {
    if (!(await isUsable(test))) continue;
    writeFileSync(path, original.slice(0, start) + to + original.slice(end));
    try {
      if (await isFound(test)) return test;
    } finally {
      putBack();
    }
  }
  return undefined;
}

const mutants = values.known ? knownMutants() : [...randomMutants(randomOf(Number(values.seed)), Number(values.count))];
let survived = 0;
for (const [index, mutant] of mutants.entries()) {
  const what = `${mutant.file}:${mutant.line}  ${mutant.from} → ${mutant.to || "(removed)"}`;
  if (values.list) {
    console.log(what);
    continue;
  }
  const found = await foundBy(mutant);
  if (!found) survived++;
  console.log(`${index + 1}/${mutants.length}  ${found ? `killed by ${basename(found)}` : "SURVIVED"}  ${what}`);
}
if (!values.list)
  console.log(`${mutants.length - survived} of ${mutants.length} killed${values.known ? "" : `, seed ${values.seed}`}`);
process.exitCode = survived > 0 ? 1 : 0;
