/** A home with which nothing is wrong, and what the doctor says once something is. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import type { NodeFacts } from "../../../host/visor/decide/heights/node-facts.js";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { examine } from "../../../host/visor/stage/doctor/doctor.js";
import { elfBytes } from "../../runnable-bytes.js";
import { newPath } from "../../test-folder.js";

export const SCRIPT = "#!/bin/sh\n";

/** A home with which nothing is wrong. */
export function goodHome() {
  const home = newPath("home");
  const root = join(home, "cosmovisor");
  const put = (path: string, content: string | Uint8Array = SCRIPT, mode = 0o755) => {
    const file = join(home, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  };
  const link = (target: string, path = "cosmovisor/current") => {
    rmSync(join(home, path), { recursive: true, force: true });
    symlinkSync(target, join(home, path));
  };
  mkdirSync(join(home, "data"), { recursive: true });
  put("cosmovisor/genesis/bin/n");
  link("genesis");
  return { home, root, put, link };
}

interface Look {
  readonly env?: Record<string, string>;
  readonly arch?: string;
  readonly units?: string[];
  readonly node?: NodeFacts;
}

/** What is not as it should be: level, text, next command. */
export function look(home: string, options: Look = {}): string[] {
  return lookAtAll(home, options).filter((line) => !line.startsWith("ok "));
}

/** With what is as it should be. */
export function lookAtAll(home: string, { env = {}, arch = "x64", units = [], node }: Look = {}): string[] {
  const all = { DAEMON_HOME: home, DAEMON_NAME: "n", DAEMON_SHUTDOWN_GRACE: "30s", ...env };
  const read = readSettings(all, undefined);
  return examine({ files: diskFiles, read, platform: "linux", arch, units, node }).map(
    ({ level, what, detail, next }) => `${level} ${what}: ${detail}${next === null ? "" : ` → ${next}`}`,
  );
}

/** The first bytes of a 64-bit ELF program, little-endian. */
export const elf = (machine: number, loader?: string): Uint8Array =>
  elfBytes({ machine, ...(loader !== undefined && { loader }) });
