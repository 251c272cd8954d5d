/** A home with data that is worth a backup. */
import { readdirSync, symlinkSync } from "node:fs";
import { makeBackup } from "../../../../host/visor/backup/backup.js";
import { manifestOf } from "../../../../host/visor/backup/manifest.js";
import { restore } from "../../../../host/visor/backup/restore.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { ScriptsHome } from "../scripts-home.js";

export const { files } = realMachine;
export const never = new AbortController().signal;
export const NOON = new Date(2026, 1, 3, 12).getTime();

export function filled(): ScriptsHome {
  const home = new ScriptsHome();
  home.write("data/application.db/000001.ldb", "state ".repeat(1_000));
  home.write("data/application.db/CURRENT", "1");
  home.write("data/priv_validator_state.json", '{"height":"48","round":0,"step":3}');
  home.write("data/spill/run", "is not kept");
  symlinkSync("CURRENT", home.file("data", "application.db", "LATEST"));
  home.program("genesis", "");
  return home;
}

export const signed = (home: ScriptsHome) => JSON.parse(home.read("data/priv_validator_state.json")).height as string;

export function make(home: ScriptsHome, changes: Partial<Parameters<typeof makeBackup>[0]> = {}) {
  return makeBackup({
    ...{ files, clock: { wall: () => NOON }, settings: home.settings(), plan: { name: "v2", height: 49n } },
    ...{ program: "genesis", signal: never, onProgress: () => undefined, log: () => undefined },
    ...changes,
  });
}

export const names = (home: ScriptsHome) => readdirSync(home.path).filter((name) => name.startsWith("data-backup"));

export function back(home: ScriptsHome, folder: string, others: Partial<Parameters<typeof restore>[0]> = {}) {
  const manifest = manifestOf(files, folder);
  if (!manifest) throw new Error("no manifest");
  const { path, settings } = { path: home.path, settings: home.settings() };
  return restore({
    files,
    home: path,
    root: settings.root,
    folder,
    manifest,
    signal: never,
    onFile: () => undefined,
    ...others,
  });
}
