/** Two versions of `chaind` as programs of a home: scripts around the build, which write down each start of a node. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../../../host/base/text/shell-word.js";
import { ROOT } from "../../house/sources.js";

export type Version = "v1" | "v2";

/** A build elsewhere can be tried too, while this one is being made again. */
export const DIST = process.env["CHAIN_UPGRADE_DIST"] ?? join(ROOT, "dist");
const recordOf = (home: string) => join(home, "starts");

/**
 * A start is a line: version, process, and what was wrong with it, as only the program itself sees it without a gap: `beside` another
 * node of the home that runs, or `early`, the new version where no plan was written.
 */
export function programScript(home: string, version: Version): string {
  const record = shellWord(recordOf(home));
  const words = `{ tr '\\0' ' ' < /proc/$pid/cmdline; } 2> /dev/null`;
  const running = `${words} | grep -F -- ${shellWord(home)} | grep -q 'chaind\\([.]js\\)\\{0,1\\} start'`;
  return [
    "#!/bin/sh",
    'if [ "$1" = start ]; then',
    "  wrong=",
    `  touch ${record}`,
    `  while read -r _ pid _; do [ "$pid" != $$ ] && ${running} && wrong="$wrong beside-$pid"; done < ${record}`,
    ...(version === "v2"
      ? [`  [ -e ${shellWord(join(home, "data/upgrade-info.json"))} ] || wrong="$wrong early"`]
      : []),
    `  echo "${version} $$$wrong" >> ${record}`,
    "fi",
    ...(version === "v1" ? ["export CHAIND_APP_VERSION=1"] : []),
    `exec ${shellWord(process.execPath)} ${shellWord(join(DIST, "chaind.js"))} "$@"`,
    "",
  ].join("\n");
}

export function placeProgram(home: string, folder: string, version: Version): void {
  const file = join(home, "cosmovisor", folder, "bin/chaind");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, programScript(home, version));
  chmodSync(file, 0o755);
}

interface Start {
  readonly version: string;
  readonly pid: number;
  readonly wrong: string;
}

export function recordedStarts(home: string): Start[] {
  const record = recordOf(home);
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [version = "", pid = "", ...wrong] = line.split(" ");
    return { version, pid: Number(pid), wrong: wrong.join(" ") };
  });
}

/** Versions in the order of their starts, with what was wrong. */
export const startsOf = (home: string) =>
  recordedStarts(home).map(({ version, wrong }) => (wrong === "" ? version : `${version} ${wrong}`));
