/**
 * `npm run network -- [--scenes all|NAME,NAME] [--times N] [--seed S] [--json]`: four validators with stock CometBFT around an upgrade.
 * Prints a table of scenes; exit 1 if one failed or two nodes differed. CometBFT: COMETBFT_BIN, PATH, or built with Go.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cometbft } from "../e2e/cometbft.js";
import { failPoints, kills } from "./crashes.js";
import { evidence } from "./evidence.js";
import { goBack } from "./go-back.js";
import { hot } from "./hot.js";
import { longMigration } from "./long-migration.js";
import { Network } from "./network.js";
import { params, validators } from "./power.js";
import { writeProgram } from "./program.js";
import { restore } from "./restore.js";
import { SCENES as CALM, type Scene } from "./scenes.js";
import { stateSync } from "./state-sync.js";
import { verify } from "./verify.js";

const OF_POWER = [validators, evidence, params];
const SCENES: readonly Scene[] = [
  ...CALM,
  goBack,
  verify,
  hot,
  stateSync,
  restore,
  ...OF_POWER,
  longMigration,
  failPoints,
  kills,
];
const CHAIND = join(import.meta.dirname, "../../dist/chaind.js");

function usage(message: string): never {
  const names = SCENES.map(({ name, what }) => `  ${name.padEnd(14)} ${what}`).join("\n");
  process.stderr.write(
    `${message}\nusage: npm run network -- [--scenes all|NAME,NAME] [--times N] [--seed S] [--json]\n${names}\n`,
  );
  process.exit(2);
}

function readOptions() {
  const options = {
    scenes: { type: "string", default: "all" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    times: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

interface Row {
  readonly scene: string;
  readonly nodes: number;
  readonly heights: number;
  readonly differences: number;
  readonly seconds: number;
  readonly counts: string;
  readonly failure: string;
}

async function runScene(scene: Scene, comet: string, seed: number): Promise<Row> {
  let network: Network | undefined;
  const row = () => ({
    ...{ scene: scene.name, nodes: network?.nodes.length ?? 0 },
    seconds: Math.round((network?.age ?? 0) / 100) / 10,
  });
  try {
    const program = scene.hasOwnProgram ? writeProgram() : CHAIND;
    network = await Network.make({ program, comet });
    const { heights, differences, counts = "" } = await scene.run(network, seed);
    return { ...row(), heights, counts, differences: differences.length, failure: differences[0] ?? "" };
  } catch (error) {
    return {
      ...row(),
      heights: 0,
      counts: "",
      differences: 0,
      failure: error instanceof Error ? error.message : String(error),
    };
  } finally {
    await network?.close();
  }
}

function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => String(cell).padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const { scenes, times, seed, json } = readOptions();
const names = scenes === "all" ? SCENES.map(({ name }) => name) : scenes.split(",");
const chosen = names.map((name) => SCENES.find((scene) => scene.name === name) ?? usage(`there is no scene ${name}`));
if (!/^[0-9]{1,15}$/.test(seed)) usage("--seed must be a whole number");
if (!/^[1-9][0-9]{0,4}$/.test(times)) usage("--times must be a whole number");
const comet = cometbft() ?? usage("CometBFT is missing here, and cannot be built: Go or its module proxy is missing");
const rows: Row[] = [];
for (let turn = 0; turn < Number(times); turn++) {
  for (const scene of chosen) {
    const row = await runScene(scene, comet, Number(seed) + turn);
    rows.push(row);
    if (json) process.stdout.write(`${JSON.stringify(row)}\n`);
    else process.stderr.write(`${scene.name}: ${row.failure === "" ? "ok" : row.failure} (${row.seconds} s)\n`);
  }
}
const HEAD = ["scene", "nodes", "heights", "differences", "seconds", "result", "counts"];
const shown = rows.map((row) => [
  ...[row.scene, row.nodes, row.heights, row.differences, row.seconds],
  ...[row.failure === "" ? "ok" : "FAILED", row.counts],
]);
if (!json) process.stdout.write(`${table([HEAD, ...shown])}\n`);
if (rows.some(({ failure }) => failure !== "")) process.exitCode = 1;
