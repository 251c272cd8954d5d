/**
 * An upgrade of all accounts, run again on its witness as a browser does it, with SHA-256 in JavaScript and in Wasm: against the
 * block that a node made of it, in memory. The whole app hash comes out equal each time, or the bench fails.
 */
import { sha256 as noble } from "@noble/hashes/sha2.js";
import { reExecute } from "../../host/verify/re-execute.js";
import { HANDLER, upgraded } from "../bulk/upgraded.js";
import { time } from "./records.js";

const ROUNDS = Number(process.argv[2]);
const SIZES = [3_000, 200_000];
/** Milliseconds that are due in a browser, the first time and for many accounts. */
const COLD_MAX = 400;
const MANY_MAX = 2_500;
const WITNESS_BYTES_MAX = 2 ** 28;

const rows: object[] = [];
for (const accounts of SIZES) {
  const { witness, headers, block } = upgraded(accounts);
  const name = `${accounts.toLocaleString("en-US")} accounts`;
  const run = () => reExecute({ witness, headers, maxBytes: WITNESS_BYTES_MAX, handler: HANDLER, sha256: noble });
  const first = time(run);
  const samples = Array.from({ length: ROUNDS }, () => time(run));
  rows.push(
    { row: `${name}: block of a node`, unit: "ms", samples: [block] },
    {
      row: `${name}: first time`,
      unit: "ms",
      samples: [first],
      ...(accounts === SIZES[0] ? { valueMax: COLD_MAX } : {}),
    },
    {
      row: `${name}: again`,
      unit: "ms",
      samples,
      against: `${name}: block of a node`,
      ...(accounts === SIZES[0] ? {} : { valueMax: MANY_MAX }),
    },
    { row: `${name}: witness`, unit: "KiB", samples: [witness.length / 1_024] },
  );
}
process.stdout.write(JSON.stringify(rows));
