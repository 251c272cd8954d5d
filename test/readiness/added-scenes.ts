/** Situations that were added after the first 35 had been played: what goes wrong by hand, on a machine, in a unit. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mountDisk } from "../small-disk.js";
import type { Bed, BedOptions } from "./bed.js";
import { HEIGHT, outcome, plan, played, type Scene, Skipped, type Use } from "./scene.js";
import { newProgram, oldProgram } from "./supervised.js";

/** The right program was staged and judged, and something happens then. */
const afterwards =
  (
    happens: (bed: Bed) => unknown,
    {
      options = () => ({}),
      program = () => newProgram(),
    }: {
      readonly options?: (use: Use) => BedOptions;
      readonly program?: (bed: Bed) => string;
    } = {},
  ): Scene =>
  async (use) => {
    const bed = await use.bed({ ...plan(), ...options(use) });
    bed.place("upgrades/v2", program(bed));
    bed.start();
    await bed.settle();
    await happens(bed);
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  };

/** What a start reads is like this from the beginning, and the right program is staged. */
const from =
  (begin: (bed: Bed) => unknown, env?: BedOptions["env"]): Scene =>
  async (use) => {
    const bed = await use.bed({ ...plan(), ...(env ? { env } : {}) });
    bed.place("upgrades/v2", newProgram());
    begin(bed);
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  };

const appToml = (text: string) => (bed: Bed) => writeFileSync(join(bed.home, "config/app.toml"), `${text}\n`);
const nothing = () => undefined;

function mount(folder: string, use: Pick<Use, "onEnd">): string {
  const disk = mountDisk(64 << 20);
  if (disk === undefined) throw new Skipped("this user may not mount a disk");
  use.onEnd(() => {
    execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  if (folder !== "") symlinkSync(disk, folder);
  return disk;
}

/** No file shows it: after this time the sidecar has looked again, where the height's time is not known. */
const OLD_MILLIS = 65_000;

/** The right program is staged for the chain's plan, and an operator had queued a height before the chain had a plan. */
const queued =
  (name: string, height: number, program?: string): Scene =>
  async (use) => {
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", newProgram());
    if (program !== undefined) bed.place(`upgrades/${name}`, program);
    const plans = [{ name, height: String(height), info: "" }];
    writeFileSync(join(bed.home, "cosmovisor/queue.json"), JSON.stringify({ v: 1, plans }));
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  };

const remount = (disk: string, how: string) => execFileSync("mount", ["-o", `remount,${how}`, disk]);

export const ADDED_SCENES: Readonly<Record<number, Scene>> = {
  36: afterwards((bed) => chmodSync(bed.programOf("upgrades/v2"), 0o644)),
  37: afterwards((bed) => rmSync(bed.file("chaind-v2", "")), {
    program: (bed) => `#!/bin/sh\nexec ${bed.file("chaind-v2", newProgram())} "$@"\n`,
  }),
  38: afterwards((bed) => {
    rmSync(join(bed.home, "cosmovisor/current"), { force: true });
    symlinkSync("upgrades/v1.9", join(bed.home, "cosmovisor/current"));
  }),
  39: async (use) => {
    const bed = await use.bed(plan("v2", "", 30));
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.untilHeight(10);
    await bed.stop();
    const kept = join(bed.home, "../kept");
    cpSync(join(bed.home, "data"), kept, { recursive: true });
    bed.start();
    if (!(await bed.untilHeight(32))) throw new Error("the upgrade before the restore was not made");
    await bed.stop();
    rmSync(join(bed.home, "data"), { recursive: true });
    cpSync(kept, join(bed.home, "data"), { recursive: true });
    bed.lastHeight = 0;
    bed.log = "";
    const surfaces = await bed.surfaces("v2");
    bed.start();
    return outcome(bed, "v2", surfaces, 30);
  },
  40: async (use) => {
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", newProgram());
    const other = { name: "osmosis-v9", height: 40, info: "" };
    writeFileSync(join(bed.home, "data/upgrade-info.json"), JSON.stringify(other));
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  41: async (use) => {
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", newProgram());
    bed.startAlone();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  42: afterwards((bed) => appendFileSync(join(bed.home, "config/app.toml"), "\n[grpc\naddress = 9090\n")),
  43: async (use) => {
    const bed = await use.bed(plan());
    const folder = join(bed.home, "cosmovisor/upgrades");
    const disk = mount(folder, use);
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    remount(disk, "noexec");
    await sleep(OLD_MILLIS);
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  44: afterwards(() => undefined, { options: () => ({ env: () => ({ COSMOVISOR_CUSTOM_PREUPGRADE: "before.sh" }) }) }),
  45: async (use) => {
    const disk = mount("", use);
    const bed = await use.bed({ ...plan(), env: () => ({ DAEMON_DATA_BACKUP_DIR: disk }) });
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    remount(disk, "ro");
    await sleep(OLD_MILLIS);
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  46: queued("v2", HEIGHT - 6),
  47: queued("v3", HEIGHT - 6, newProgram()),
  48: queued("other", HEIGHT, oldProgram()),
  49: from(appToml(`unsafe-skip-upgrades = "${HEIGHT}"`)),
  50: from(nothing, () => ({ CHAIND_UNSAFE_SKIP_UPGRADES: String(HEIGHT) })),
  51: from(appToml(`halt-height = ${HEIGHT}`)),
  52: from(nothing, () => ({ CHAIND_HALT_HEIGHT: String(HEIGHT - 10) })),
  53: from(appToml("app-version = 1")),
  54: afterwards(async (bed) => {
    writeFileSync(join(bed.home, "config/node_key.json"), "junk");
    await sleep(OLD_MILLIS);
  }),
  55: from((bed) => mkdirSync(join(bed.home, "data/upgrade-info.json"))),
  56: from(nothing, (root) => ({ DAEMON_DATA_BACKUP_DIR: join(root, "none") })),
  57: from((bed) => writeFileSync(join(bed.home, "cosmovisor/returned.json"), "junk")),
};
