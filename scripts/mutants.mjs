// `npm run mutants -- --seed 1 --count 40`: small faults in the sources of all layers, one at a time; the tests must find them.
// `--known` plants the faults that once survived, `--layer host/state` draws from one layer, `--list` only prints what is drawn.
// A fault is planted in a copy. It is found when a test fails that passes without it; at most one in twenty may survive.
// Tests that call functions come first, for all faults; those that start programs of dist/ are for what is left
// (`--quick` leaves them out).
import { parseArgs } from "node:util";
import { Copy } from "./mutants/copy.mjs";
import { isProgramTest, runsFor } from "./mutants/nearest.mjs";
import { drawMutants, placeOfText, readLayers } from "./mutants/places.mjs";

const FOUND_PERCENT_MIN = 95;

const KNOWN = [
  [
    "host/upgrade/module/migrations.ts",
    "version < consensusVersion; version++",
    "version <= consensusVersion; version++",
  ],
  ["host/chain/app/block.ts", "used >= blockGasMax", "used > blockGasMax"],
  ["host/serve/rpc/params.ts", "if (/^'.*'$/.test(value)) return value.slice(1, -1);", ""],
  ["host/node/blocks/mempool.ts", "this.#seen.size <= this", "this.#seen.size < this"],
  ["host/upgrade/test-kit/standard-checks.ts", "of [wrong, later]", "of [wrong]"],
  ["host/chain/values/account-key.ts", "count <= SIGNATURES_MAX", "count < SIGNATURES_MAX"],
  ["host/upgrade/module/halt-next.ts", "  30: (facts) =>", "  31: (facts) =>"],
  ["host/visor/stage/doctor/unit-text.ts", "d: 86_400,", "d: 86_401,"],
];

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    quick: { type: "boolean", default: false },
    layer: { type: "string" },
    known: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

function mutantsToTry() {
  if (values.known) return KNOWN.map(placeOfText);
  const layers = readLayers();
  if (values.layer && !layers.has(values.layer))
    throw new Error(`no layer ${values.layer}: ${[...layers.keys()].join(", ")}`);
  const drawn = values.layer ? new Map([[values.layer, layers.get(values.layer)]]) : layers;
  return drawMutants(Number(values.seed), Number(values.count), drawn);
}

const oneLine = (text) => {
  const line = text.replace(/\s+/g, " ");
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
};
const describe = ({ file, line, from, to }) =>
  `${file}:${line}  ${oneLine(from)} → ${to === ";" || to === "" ? "(removed)" : oneLine(to)}`;

/** The test that finds the fault; undefined when it survives all of the runs. */
async function foundBy({ copy, clean }, mutant, runs) {
  if (runs.length === 0) return undefined;
  const putBack = copy.plant(mutant);
  try {
    const isCore = mutant.file.startsWith("assembly/");
    if (isCore && !(await copy.build())) return "the compiler";
    if (!isCore && isProgramTest(runs[0][0]) && !(await copy.build("--only-dist"))) return "the bundler";
    for (const tests of runs) {
      // A test that fails by chance, since the machine is busy, does not fail again.
      for (let left = tests; left.length > 0; ) {
        const failed = await copy.failing(left);
        if (!failed) break;
        if ((await copy.failing([failed])) && (await clean.passes(failed))) return failed;
        left = left.filter((test) => test !== failed);
      }
    }
    return undefined;
  } finally {
    putBack();
  }
}

/** Plants each fault in turn, and adds to `found` which test found it. */
async function tryAll(copies, mutants, found, isOfStage) {
  for (const [index, mutant] of mutants.entries()) {
    const began = Date.now();
    const runs = runsFor(mutant.file).filter(([first]) => isOfStage(first));
    const test = await foundBy(copies, mutant, runs);
    if (test) found.set(mutant, test);
    const seconds = `${Math.round((Date.now() - began) / 1_000)} s`;
    console.log(`${index + 1}/${mutants.length}  ${seconds}  ${describe(mutant)}`);
    console.log(`      ${test ? `found by ${test}` : `not found by ${runs.flat().length} test files`}`);
  }
}

/** Tests that fail without any fault: what they find is not found. Each is tried once, in a copy that has none. */
class CleanCopy {
  #copy = new Copy();
  #passes = new Map();
  #isBuilt = false;

  async passes(test) {
    if (!this.#passes.has(test)) {
      if (isProgramTest(test) && !this.#isBuilt) this.#isBuilt = await this.#copy.build("--only-dist");
      this.#passes.set(test, (await this.#copy.failing([test])) === undefined);
      if (!this.#passes.get(test)) console.log(`not used, it fails without a fault: ${test}`);
    }
    return this.#passes.get(test);
  }

  remove() {
    this.#copy.remove();
  }
}

async function main() {
  const mutants = mutantsToTry();
  if (values.list) {
    for (const [index, mutant] of mutants.entries()) console.log(`${index + 1}  ${describe(mutant)}`);
    return;
  }
  const copies = { copy: new Copy(), clean: new CleanCopy() };
  const remove = () => {
    for (const copy of Object.values(copies)) copy.remove();
  };
  const stop = () => {
    remove();
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const found = new Map();
    await tryAll(copies, mutants, found, (test) => !isProgramTest(test));
    const left = mutants.filter((mutant) => !found.has(mutant));
    if (!values.quick) await tryAll(copies, left, found, isProgramTest);
    report(mutants.map((mutant) => [mutant, found.get(mutant)]));
  } finally {
    remove();
  }
}

function report(results) {
  const survivors = results.filter(([, test]) => !test);
  for (const [mutant] of survivors) console.log(`survived: ${describe(mutant)}`);
  const found = results.length - survivors.length;
  console.log(`${found} of ${results.length} found${values.known ? "" : `, seed ${values.seed}`}`);
  const percentMin = values.known ? 100 : FOUND_PERCENT_MIN;
  if (found * 100 < results.length * percentMin) process.exitCode = 1;
}

await main();
