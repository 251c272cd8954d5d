/**
 * CPU time of `chaind` from its start to its end, beside an empty script, by turns. Each process reports its own: what the system
 * counts for children is in steps of 10 ms. Run it after `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = Number(process.argv[2]);
/** The first start writes the code cache, and the next ones add what they compiled. */
const WARM_UP_ROUNDS = 3;
const EMPTY = "an empty script";
/** As times of an empty script, which takes 40 ms on an idle machine: the others are due in 200 ms there. */
const [TWICE, FIVE_TIMES] = [{ ratioMax: 2 }, { ratioMax: 5 }];

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-bench-"));
const empty = join(folder, "empty.mjs");
const report = join(folder, "report.cjs");
const chaind = "dist/chaind.js";

interface Started {
  readonly row: string;
  readonly args: readonly string[];
  readonly limits?: { readonly ratioMax: number };
}

const STARTED: readonly Started[] = [
  { row: EMPTY, args: [empty] },
  { row: "version", args: [chaind, "version"], limits: TWICE },
  { row: "--help", args: [chaind, "--help"], limits: TWICE },
  ...["start", "query", "tx upgrade", "handler check", "genesis"].map((words) => ({
    row: `${words} --help`,
    args: [chaind, ...words.split(" "), "--help"],
    limits: FIVE_TIMES,
  })),
  { row: "keys list", args: [chaind, "keys", "list", "--home", join(folder, "home")], limits: FIVE_TIMES },
  {
    row: "config get",
    args: [chaind, "config", "get", "app", "pruning", "--home", join(folder, "home")],
    limits: FIVE_TIMES,
  },
];

/** Microseconds. */
function cpuOf(args: readonly string[]): number {
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  const { output } = spawnSync(process.execPath, ["--require", report, ...args], { env, stdio: [...stdio] });
  return Number(String(output[3]));
}

try {
  writeFileSync(empty, "");
  writeFileSync(
    report,
    `process.on("exit", () => {
      const { user, system } = process.cpuUsage();
      require("node:fs").writeSync(3, String(user + system));
    });`,
  );
  const samples = STARTED.map(() => [] as number[]);
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [index, { args }] of STARTED.entries()) {
      const millis = cpuOf(args) / 1_000;
      if (round >= 0) samples[index]?.push(millis);
    }
  }
  const rows = STARTED.map(({ row, limits }, index) => ({
    ...{ row, unit: "ms", samples: samples[index], ...limits },
    ...(row === EMPTY ? {} : { against: EMPTY }),
  }));
  process.stdout.write(JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
