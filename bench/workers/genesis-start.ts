/**
 * Starts of `chaind` with a genesis document of many accounts: the first, which checks all of it and makes block 1, and later
 * ones, which do not read it, by turns with those of a home that began with a small one.
 */
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { encodeAddress } from "../../test/addresses.js";
import { makeHome } from "../../test/e2e/prepared-home.js";
import { genesisDocument, genesisText } from "../../test/scenario/genesis-text.js";
import { watchMemory } from "../measure.js";

const TURNS = 5;
const MIB = 1_048_576;
/** What genesis to block 1 may take, whatever the document. */
const MEMORY_MAX_MIB = 512;
/** How much longer a later start may take because of the document that the chain began with. */
const LATER_MAX = 1.5;

/** The document of the tests with so many accounts and balances more, a piece at a time. */
function* manyAccounts(count: number): Generator<string> {
  const mark = "@more@";
  const document = genesisDocument();
  const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
  state["auth"]?.["accounts"]?.push(mark);
  state["bank"]?.["balances"]?.push(mark);
  const [begin, between, end] = JSON.stringify(document).split(`,"${mark}"`) as [string, string, string];
  const address = (index: number) => encodeAddress(sha256(utf8(`account ${index}`)).slice(0, 20));
  const isAccountsFirst = begin.includes('"accounts"');
  const account = (index: number) =>
    `,{"@type":"/cosmos.auth.v1beta1.BaseAccount","address":"${address(index)}","pub_key":null,"account_number":"${1_000 + index}","sequence":"0"}`;
  const balance = (index: number) =>
    `,{"address":"${address(index)}","coins":[{"denom":"ustake","amount":"${1_000_000 + index}"}]}`;
  const entries = isAccountsFirst ? [account, balance] : [balance, account];
  yield begin;
  for (let index = 0; index < count; index++) yield entries[0]?.(index) ?? "";
  yield between;
  for (let index = 0; index < count; index++) yield entries[1]?.(index) ?? "";
  yield end;
}

/** One more block of a home: how long the process took, in milliseconds, and its memory. */
async function start(home: string): Promise<{ readonly millis: number; readonly bytes: number }> {
  const any = ["--rpc.laddr", "tcp://127.0.0.1:0", "--grpc.address", "127.0.0.1:0", "--api.address", "127.0.0.1:0"];
  const args = ["dist/chaind.js", "start", "--home", home, "--max-blocks", "1", "--block-time", "0", ...any];
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  const peak = watchMemory(child.pid);
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const exit = await new Promise((resolve) => child.once("close", resolve));
  const bytes = peak();
  if (exit !== 0) throw new Error(`chaind ended with ${exit}:\n${log}`);
  return { millis: performance.now() - begun, bytes };
}

const accounts = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-genesis-"));
try {
  const homes = ["small", "large"].map((name) => join(folder, name)) as [string, string];
  for (const home of homes) makeHome(home, genesisText());
  const document = join(homes[1], "config", "genesis.json");
  await pipeline(Readable.from(manyAccounts(accounts)), createWriteStream(`${document}.new`));
  renameSync(`${document}.new`, document);
  await start(homes[0]);
  const first = await start(homes[1]);
  const later: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      later[which].push((await start(homes[which])).millis);
    }
  }
  const small = "later start, small document";
  process.stdout.write(
    JSON.stringify([
      { row: "document", unit: "MiB", samples: [statSync(document).size / MIB] },
      { row: "checked, and block 1", unit: "ms", samples: [first.millis] },
      { row: "memory of it", unit: "MiB", samples: [first.bytes / MIB], valueMax: MEMORY_MAX_MIB },
      { row: small, unit: "ms", samples: later[0] },
      { row: "later start, large document", unit: "ms", samples: later[1], against: small, ratioMax: LATER_MAX },
    ]),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
