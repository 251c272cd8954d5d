/** A home with programs that are shell scripts, as Cosmovisor's own tests have them, and the sidecar over it in this process. */
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { concatBytes, fromHex } from "../../../host/base/text/bytes.js";
import { crc32c } from "../../../host/visor/decide/heights/crc32c.js";
import type { Machine } from "../../../host/visor/decide/machine.js";
import type { Settings } from "../../../host/visor/decide/settings.js";
import { runVisor, type VisorOptions } from "../../../host/visor/run/loop/visor.js";
import { realMachine } from "../../../host/visor/run/real-machine.js";
import { Board } from "../../../host/visor/status/board.js";
import { newPath } from "../../test-folder.js";

export const DAEMON = "dummyd";

/** The machine: its sleeps pass at once, but those of a poll, and are kept. */
export function hurried(slept: number[]): Machine {
  const sleep: Machine["clock"]["sleep"] = (millis, signal) => {
    if (millis >= 1_000) slept.push(millis);
    return realMachine.clock.sleep(millis >= 1_000 ? 1 : millis, signal);
  };
  return { ...realMachine, clock: { ...realMachine.clock, sleep } };
}

export class ScriptsHome {
  readonly path = newPath("home");
  readonly lines: string[] = [];
  readonly stop = new AbortController();
  readonly board = new Board(realMachine.clock);
  /** What each program writes, in one file: their stdout is the test's own. */
  readonly outFile = join(this.path, "out");

  constructor() {
    mkdirSync(join(this.path, "data"), { recursive: true });
    mkdirSync(this.file("cosmovisor"));
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  get planFile(): string {
    return this.file("data", "upgrade-info.json");
  }

  /** @param folder `genesis`, or `upgrades/` and a name */
  program(folder: string, script: string): string {
    return this.write(join("cosmovisor", folder, "bin", DAEMON), `#!/bin/sh\nOUT=${this.outFile}\n${script}\n`, 0o755);
  }

  write(name: string, text: string | Uint8Array, mode = 0o644): string {
    const path = this.file(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    return path;
  }

  read(name: string): string {
    return readFileSync(this.file(name), "utf8");
  }

  get out(): string {
    return existsSync(this.outFile) ? readFileSync(this.outFile, "utf8") : "";
  }

  get current(): string {
    return readlinkSync(this.file("cosmovisor", "current"));
  }

  /** Waits until a line of the log holds this text. */
  async says(text: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(text))) await realMachine.clock.sleep(5);
  }

  settings(changes: Partial<Settings> = {}): Settings {
    return {
      ...{ home: this.path, name: DAEMON, root: this.file("cosmovisor"), backupDir: this.path },
      ...{ isDownloadAllowed: false, isChecksumRequired: false, isRestartedAfterUpgrade: true },
      ...{ restartDelay: 0, shutdownGrace: 0, pollInterval: 20, isBackupSkipped: true, preUpgradeRetriesMax: 0 },
      ...{ grpcAddress: "", isQuiet: false, isColored: false, timeFormat: "", customPreUpgrade: "", isCaseKept: false },
      ...{ statusAddress: "", rpcAddress: "", onRefusal: "stop", returnHeight: undefined, isHeldOnFailure: false },
      ...{
        restartsMax: 0,
        restartWindow: 600_000,
        isHaltedAtHeight: true,
        isHotSwitch: false,
        downloadBytesMax: 1e9,
        downloadTimeout: 1e6,
      },
      ...{ downloadStall: 30_000, backupKind: "auto", backupsKept: 2, logFormat: "plain" },
      ...changes,
    };
  }

  run(args: readonly string[], changes: Partial<Settings> = {}, others: Partial<VisorOptions> = {}): Promise<number> {
    return runVisor({
      settings: this.settings(changes),
      ...{ args, env: { PATH: process.env["PATH"] }, machine: realMachine, board: this.board },
      signal: this.stop.signal,
      log: (level, message) => void this.lines.push(`${level} ${message}`),
      ...others,
    });
  }
}

/** CometBFT's log, with these ends of heights and another message between them. */
export function walOf(...heights: readonly bigint[]): Uint8Array {
  return concatBytes(...heights.flatMap((height) => [frame(fromHex("0a0212000a")), frame(endHeight(height))]));
}

/** TimedWALMessage with a time and EndHeight. */
export function endHeight(height: bigint): Uint8Array {
  const end = height === 0n ? [] : [0x08, ...varint(height)];
  const time = [0x0a, 0x04, 0x08, ...varint(100_000n)];
  return Uint8Array.from([...time, 0x12, end.length + 2, 0x22, end.length, ...end]);
}

export function frame(message: Uint8Array, crc = crc32c(message)): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  head.setUint32(0, crc);
  head.setUint32(4, message.length);
  return concatBytes(new Uint8Array(head.buffer), message);
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 0x80n) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

export const planText = (name: string, height: number, info = "") => JSON.stringify({ name, height, info });
