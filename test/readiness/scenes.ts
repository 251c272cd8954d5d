/** What is done to a home in each situation of situations.json that needs one node. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cancelUpgrade, softwareUpgrade } from "../scenario/wallet.js";
import type { HttpServer } from "../unit/visor/download/http-server.js";
import type { Bed } from "./bed.js";
import { HANDLER, HEIGHT, handler, outcome, plan, played, type Scene, Skipped, sha256, type Use } from "./scene.js";
import { newProgram, oldProgram } from "./supervised.js";

/** The file is staged as the program of v2 before the start. */
const staged =
  (make: (use: Use) => { bytes: string | Uint8Array; mode?: number }): Scene =>
  async (use) => {
    const { bytes, mode } = make(use);
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", bytes, mode);
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  };

/** The plan's info names a download. */
const downloaded =
  (serve: (server: HttpServer) => string): Scene =>
  async (use) => {
    const server = await use.server();
    const bed = await use.bed(plan("v2", JSON.stringify({ binaries: { any: serve(server) } })));
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  };

/** @param before what is done with the staged file before the start @param between what is done after it */
const handled =
  (
    source: string,
    stage: (bed: Bed, bytes: Uint8Array) => void = (bed, bytes) => void bed.stageHandler("v9", bytes),
    {
      pin,
      before,
      between,
    }: {
      pin?: (bytes: Uint8Array) => string;
      before?: (bed: Bed) => Promise<unknown>;
      between?: (bed: Bed) => Promise<unknown>;
    } = {},
  ): Scene =>
  async (use) => {
    const bytes = await handler(source);
    const info = pin === undefined ? "" : JSON.stringify({ handler: { sha256: pin(bytes) } });
    const bed = await use.bed({ ...plan("v9", info), isAtV2: true });
    stage(bed, bytes);
    await before?.(bed);
    bed.start();
    await bed.settle();
    await between?.(bed);
    return played(bed, "v9", await bed.surfaces("v9"));
  };

const FAILING = `plan("v9", 1_000_000_000);
const bank = store("bank").prefix("02");
migrate("bank", 2, 3, refuse);
function refuse(): void { fail(7, "these records cannot be migrated"); }`;

async function failedRehearsal(bed: Bed): Promise<void> {
  const { exit, stderr } = await bed.chaind(["upgrade", "rehearse"]);
  if (exit !== 20) throw new Error(`the rehearsal exited with ${exit}: ${stderr.slice(-300)}`);
}

/** Enough of an ELF file for the kernel to see another machine's. */
function elfOfAnotherMachine(): Uint8Array {
  const bytes = Buffer.from(readFileSync(process.execPath).subarray(0, 65_536));
  bytes.writeUInt16LE(process.arch === "arm64" ? 62 : 183, 18);
  return bytes;
}

const operatorHeight =
  (isRestarted: boolean): Scene =>
  async (use) => {
    const height = 60;
    const bed = await use.bed({});
    bed.start();
    await bed.untilHeight(6);
    const file = bed.file("chaind-v2", newProgram());
    const restart = isRestarted ? ["--restart"] : [];
    // Another file than the running one, of the same app version: no plan of the chain's changes state.
    writeFileSync(file, readFileSync(file, "utf8").replace("exec ", "export CHAIND_APP_VERSION=1\nexec "));
    const added = await bed.chainvisor(["add-upgrade", "v1.1", file, "--upgrade-height", String(height), ...restart]);
    await bed.settle();
    const surfaces = await bed.surfaces("v1.1");
    const isMade = await bed.untilHeight(height + 1, 90_000);
    return { surfaces, isMade: isMade && madeByNext(bed, height), detail: `add-upgrade exit ${added.exit}` };
  };

/** Was the block of this height made after the link changed? */
function madeByNext({ log }: Bed, height: number): boolean {
  const lines = log.split("\n");
  const switched = lines.findIndex((line) => line.includes(`switched from genesis to v1.1`));
  const made = lines.findIndex((line) => line.includes(`"height":"${height}"`) && line.includes("block made"));
  return switched >= 0 && made > switched;
}

export const SCENES: Readonly<Record<number, Scene>> = {
  1: staged(() => ({ bytes: newProgram() })),
  2: handled(HANDLER, undefined, { pin: (bytes) => sha256(bytes) }),
  3: staged(({ foreign }) => {
    if (foreign === undefined) throw new Skipped("no program of another chain: set FOREIGN_PROGRAM");
    return { bytes: readFileSync(foreign) };
  }),
  4: staged(() => ({ bytes: oldProgram() })),
  5: staged(() => ({ bytes: elfOfAnotherMachine() })),
  6: downloaded((server) => {
    const bytes = elfOfAnotherMachine();
    return `${server.file("/v2", bytes)}?checksum=sha256:${sha256(bytes)}`;
  }),
  7: downloaded((server) => {
    const page = "<!doctype html>\n<html><body>Releases</body></html>\n";
    return `${server.file("/v2", page)}?checksum=sha256:${sha256(page)}`;
  }),
  8: downloaded((server) => server.file("/v2", "# release notes\n# nothing to run\n")),
  9: staged(() => ({ bytes: readFileSync(process.execPath).subarray(0, 1 << 20) })),
  10: staged(() => ({ bytes: "#!/no/such/interpreter\n" })),
  11: staged(() => ({ bytes: newProgram(), mode: 0o644 })),
  12: downloaded((server) => `${server.file("/v2", newProgram())}?checksum=sha256:${sha256("another")}`),
  13: downloaded((server) => {
    const url = server.on("/v2", () => undefined);
    return `${url}?checksum=sha256:${sha256("any")}`;
  }),
  14: downloaded((server) => {
    const zip = emptyZip();
    return `${server.file("/v2.zip", zip)}?checksum=sha256:${sha256(zip)}`;
  }),
  15: handled(HANDLER.replace('"bank", 2, 3', '"bank", 7, 8')),
  16: handled(HANDLER, undefined, { pin: () => sha256("another") }),
  17: handled(HANDLER, (bed, bytes) => void bed.stageHandler("v9", bytes.subarray(0, bytes.length >> 1))),
  18: handled(HANDLER, () => undefined),
  19: handled(FAILING, undefined, {
    between: async (bed) => {
      await failedRehearsal(bed);
      await bed.settle();
    },
  }),
  20: operatorHeight(false),
  21: operatorHeight(true),
  22: staged(() => ({ bytes: `#!/bin/sh\n[ "$1" = pre-upgrade ] && exit 30\n${newProgram().slice(10)}` })),
  23: staged(() => ({ bytes: `#!/bin/sh\n[ "$1" = pre-upgrade ] && exec sleep 1000\n${newProgram().slice(10)}` })),
  24: async (use) => {
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    bed.place("upgrades/v2", elfOfAnotherMachine());
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  25: async (use) => {
    const bed = await use.bed({ ...plan(), disk: 200 << 20 });
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.untilHeight(8);
    fill(join(bed.home, "ballast"));
    await bed.settle();
    return outcome(bed, "v2", await bed.surfaces("v2"));
  },
  26: async (use) => {
    const bed = await use.bed({ ...plan(), disk: 160 << 20 });
    bed.place("upgrades/v2", newProgram());
    writeFileSync(join(bed.home, "data/large"), Buffer.alloc(70 << 20, 1));
    bed.start();
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  27: async (use) => {
    const bed = await use.bed(plan("v2", "", 304));
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    await bed.govern([cancelUpgrade(), softwareUpgrade("v3", BigInt(HEIGHT))]);
    await bed.settle();
    return played(bed, "v3", await bed.surfaces("v3"));
  },
  28: async (use) => {
    const bed = await use.bed(plan("v2", "", 304));
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    await bed.govern([softwareUpgrade("v2", BigInt(HEIGHT))]);
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  29: async (use) => {
    const bed = await use.bed(plan());
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    bed.sidecar?.kill("SIGHUP");
    await bed.settle();
    return played(bed, "v2", await bed.surfaces("v2"));
  },
  30: async (use) => {
    const bed = await use.bed(plan("v2", "", 30));
    bed.place("upgrades/v2", newProgram());
    await bed.halted(30);
    rmSync(join(bed.home, "data/upgrade-info.json"), { force: true });
    rmSync(join(bed.home, "cosmovisor/current"), { force: true });
    const surfaces = await bed.surfaces("v2");
    bed.start();
    return outcome(bed, "v2", surfaces, 30);
  },
  31: async (use) => {
    const bed = await use.bed(plan("v2", "", 60));
    bed.place("upgrades/v2", newProgram());
    bed.start();
    await bed.settle();
    const surfaces = await bed.surfaces("v2");
    await bed.untilHeight(59);
    for (let look = 0; look < 200 && !/is due at height/.test(bed.log); look++) await sleep(20);
    await bed.killAll();
    bed.start();
    return outcome(bed, "v2", surfaces, 60);
  },
  32: async (use) => {
    const bed = await use.bed({ ...plan("v2", "", 40), disk: 200 << 20 });
    bed.place("upgrades/v2", "#!/bin/sh\nexit 1\n");
    bed.start();
    await bed.untilHeight(41, 60_000);
    await bed.stop();
    bed.place("upgrades/v2", newProgram());
    fill(join(bed.home, "ballast"));
    const surfaces = await bed.surfaces("v2");
    bed.start();
    return outcome(bed, "v2", surfaces, 40);
  },
  58: handled(`${HANDLER} deleteStore("gov"); allow("deleteStores", "gov");`),
  59: handled(FAILING, (bed, bytes) => void bed.stageHandler("migration", bytes), { before: failedRehearsal }),
};

/** Leaves 12 MiB. */
function fill(file: string): void {
  const chunk = Buffer.alloc(1 << 20, 1);
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      writeFileSync(file, chunk, { flag: "a" });
      chunks.push(chunk);
    }
  } catch {
    copyFileSync("/dev/null", file);
    writeFileSync(file, Buffer.alloc(Math.max(0, chunks.length - 12) << 20, 1));
  }
}

/** An archive without an entry: its end record alone. */
function emptyZip(): Uint8Array {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  return bytes;
}
