/**
 * `npm run readiness -- [--only 3,5] [--jobs 2] [--json FILE]`: the situations of situations.json on real nodes under real sidecars.
 * For each: what every surface reports before the height, and what then happened. Exit 1 when a surface reported ready and the node
 * missed block H + 1. The reverse (not ready, and the block was made) is counted apart. FOREIGN_PROGRAM: a program of another chain.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { HttpServer } from "../unit/visor/download/http-server.js";
import { ADDED_SCENES } from "./added-scenes.js";
import { Bed } from "./bed.js";
import { NETWORK_SCENES } from "./network-scenes.js";
import { type Played, type Scene, Skipped, type Use } from "./scene.js";
import { SCENES } from "./scenes.js";

interface Situation {
  readonly id: number;
  readonly title: string;
  readonly expect: "ready" | "not ready";
}

interface Row extends Situation {
  readonly state: "played" | "skipped" | "failed";
  readonly played?: Played;
  readonly failure?: string;
}

/** Surfaces that claim the whole: a wrong `not ready` of one of these counts as the reverse. */
const WHOLE = ["status", "doctor", "preflight", "prepare", "sidecar metric"];

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "2" },
    json: { type: "string", default: "" },
  },
});
const { situations } = JSON.parse(readFileSync(join(import.meta.dirname, "situations.json"), "utf8")) as {
  situations: Situation[];
};
const chosen =
  values.only === "" ? situations : situations.filter(({ id }) => values.only.split(",").includes(`${id}`));

async function play(situation: Situation): Promise<Row> {
  const scene: Scene | undefined = SCENES[situation.id] ?? NETWORK_SCENES[situation.id] ?? ADDED_SCENES[situation.id];
  const closing: (() => unknown)[] = [];
  const use: Use = {
    foreign: process.env["FOREIGN_PROGRAM"],
    onEnd: (close) => void closing.push(close),
    bed: async (options = {}) => {
      const bed = await Bed.make(options);
      closing.push(() => bed.close());
      return bed;
    },
    server: async () => {
      const server = await HttpServer.start();
      closing.push(() => server.close());
      return server;
    },
  };
  try {
    if (scene === undefined) throw new Error("no scene has this number");
    return { ...situation, state: "played", played: await scene(use) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { ...situation, state: error instanceof Skipped ? "skipped" : "failed", failure };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

const isWrong = ({ played }: Row) =>
  played !== undefined && !played.isMade && played.surfaces.some(({ verdict }) => verdict === "ready");
const isReverse = ({ played }: Row) =>
  played?.isMade === true &&
  played.surfaces.some(({ name, verdict }) => WHOLE.includes(name) && verdict === "not ready");

function lineOf(row: Row): string {
  const { id, title, played, failure } = row;
  const mark =
    row.state !== "played" ? row.state.toUpperCase() : isWrong(row) ? "WRONG" : isReverse(row) ? "reverse" : "right";
  const head = `${String(id).padStart(2)} ${mark.padEnd(8)} ${title}`;
  if (played === undefined) return `${head}: ${failure}`;
  const surfaces = played.surfaces.map(({ name, verdict }) => `${name} ${verdict}`).join(" · ");
  return `${head}\n            ${surfaces}\n            block H + 1: ${played.isMade ? "made" : "missed"} ${played.detail}`;
}

const rows: Row[] = [];
const queue = [...chosen];
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const row = await play(next);
      rows.push(row);
      process.stdout.write(`${lineOf(row)}\n`);
    }
  }),
);
rows.sort((a, b) => a.id - b.id);
if (values.json !== "") writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);
const count = (test: (row: Row) => boolean) => rows.filter(test).length;
process.stdout.write(
  `${rows.length} situations: ${count(isWrong)} wrong, ${count(isReverse)} reverse, ` +
    `${count(({ state }) => state === "failed")} failed, ${count(({ state }) => state === "skipped")} skipped\n`,
);
process.exit(rows.some((row) => row.state === "failed" || isWrong(row)) ? 1 : 0);
