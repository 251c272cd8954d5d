/** How long a node's endpoints take to answer while it makes the block of a large upgrade. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentile, pollWhile, risingReadings } from "../servers/endpoints.js";
import { prepareUpgrade, startUpgrading, transfers } from "../servers/upgrading-node.js";

const accounts = Number(process.argv[2]);
const home = mkdtempSync(join(tmpdir(), "chain-upgrade-latency-"));
try {
  prepareUpgrade(home, accounts, "dist/handlers");
  const node = await startUpgrading("dist/chaind.js", home);
  const begun = performance.now();
  const poll = await pollWhile(
    node.servers,
    transfers(),
    () => !node.log().includes('"upgrade applied"') && node.child.exitCode === null,
  );
  const seconds = (performance.now() - begun) / 1_000;
  node.child.kill("SIGTERM");
  const exit = await node.end;
  if (exit !== 0) throw new Error(`the node ended with ${exit}:\n${node.log()}`);
  for (const error of poll.errors.slice(0, 5)) process.stderr.write(`${error}\n`);
  process.stderr.write(`slowest: ${poll.slowest.endpoint} ${poll.slowest.millis.toFixed(1)} ms\n`);
  const micros = (share: number) => [percentile(poll.millis, share) * 1_000];
  process.stdout.write(
    JSON.stringify([
      { row: "upgrade block", unit: "ms", samples: [seconds * 1_000] },
      { row: "p50", unit: "µs", samples: micros(0.5) },
      { row: "p99", unit: "µs", samples: micros(0.99) },
      { row: "slowest", unit: "µs", samples: micros(1) },
      { row: "supply, slowest", unit: "ms", samples: [poll.supplyMillis] },
      { row: "answers", unit: "answers", samples: [poll.millis.length] },
      { row: "errors", unit: "answers", samples: [poll.errors.length] },
      { row: "progress readings", unit: "readings", samples: [poll.progress.length] },
      { row: "of them rising", unit: "readings", samples: [risingReadings(poll)] },
    ]),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
