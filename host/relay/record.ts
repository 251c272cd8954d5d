/** The record of an end that is not a worker's own: `halt.json`, and a line on stderr. */
import { upgradeOfHome } from "../abci/comet/halts.js";
import { writeHaltRecord } from "../engine/home/halt-file.js";
import type { Home } from "../engine/home/home.js";
import { messageOf } from "../errors.js";
import { type Halt, haltRecord, withFacts } from "../upgrade/halt.js";
import { RELAYED } from "../upgrade/halt-next.js";
import type { LogLevel } from "../upgrade/handlers.js";
import type { ChainPlace } from "./message.js";

export function recordHalt(
  home: Home,
  halt: Halt,
  place: ChainPlace | undefined,
  log: (level: LogLevel, message: string) => void,
  startCommand?: string,
): void {
  const record = haltRecord(withFacts(halt, upgradeOfHome(home)), {
    ...{
      lastCommittedHeight: place?.height ?? 0n,
      nextHeight: halt.height,
      appHash: place?.appHash ?? new Uint8Array(),
    },
    ...{ home: home.path, time: new Date().toISOString(), startFlags: RELAYED, startCommand },
  });
  log("error", record.message);
  try {
    writeHaltRecord(home, record);
  } catch (error) {
    log("warn", `halt.json could not be written: ${messageOf(error)}`);
  }
  process.stderr.write(`${JSON.stringify(record)}\n`);
}
