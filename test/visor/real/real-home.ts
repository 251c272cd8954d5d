/** A home for one round: a chain whose upgrade comes a few blocks later, its programs, and what is on disk of it. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { toHex } from "../../../host/base/text/bytes.js";
import { makeBlocksUpTo, makeHome, schedule, withNode } from "../../e2e/prepared-home.js";
import { genesisText } from "../../scenario/genesis-text.js";
import { tarOf } from "../../unit/visor/download/archives.js";
import { DIST, placeProgram, programScript } from "./programs.js";

/** Where version 2 comes from: an operator has put it there, or the plan names an archive. */
export const SOURCES = ["staged", "archive"] as const;
export type Source = (typeof SOURCES)[number];

const HANDLERS = join(DIST, "handlers");
const SCHEDULED_AT = 3n;
const PLAN = { name: "v2", height: 20n } as const;
/** All runs end before this block. */
export const HALT_HEIGHT = 60n;

/** What a validator's key signed last. */
interface LastSigned {
  readonly height: bigint;
  readonly round: number;
  readonly step: number;
}

export class Homes {
  readonly #root = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-real-"));
  readonly #prepared = new Map<Source, string>();
  #made = 0;

  make(source: Source): RealHome {
    const path = join(this.#root, `home-${this.#made++}`);
    cpSync(this.#preparedOf(source), path, { recursive: true });
    placeProgram(path, "genesis", "v1");
    if (source === "staged") placeProgram(path, "upgrades/v2", "v2");
    else writeFileSync(archiveOf(this.#root), releaseOf(path));
    return new RealHome(path);
  }

  end(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #preparedOf(source: Source): string {
    const known = this.#prepared.get(source);
    if (known !== undefined) return known;
    const path = join(this.#root, source);
    makeHome(path, genesisText());
    // No checksum: the release names the home of each round.
    const info = source === "staged" ? "" : JSON.stringify({ binaries: { any: `file://${archiveOf(this.#root)}` } });
    withNode({ path, handlers: HANDLERS, appVersion: 1n }, (node) => {
      schedule(node, { ...PLAN, info });
      makeBlocksUpTo(node, SCHEDULED_AT);
    });
    this.#prepared.set(source, path);
    return path;
  }
}

const archiveOf = (root: string) => join(root, "v2.tar.gz");
const releaseOf = (home: string) =>
  gzipSync(tarOf([{ name: "bin/chaind", bytes: programScript(home, "v2"), mode: 0o755 }]));

export class RealHome {
  constructor(readonly path: string) {
    mkdirSync(join(path, "cosmovisor"), { recursive: true });
  }

  get isUpgraded(): boolean {
    return existsSync(join(this.path, "data/receipts/v2.json"));
  }

  /** Undefined: the file is being replaced, or nothing was signed. */
  get lastSigned(): LastSigned | undefined {
    const file = join(this.path, "data/priv_validator_state.json");
    if (!existsSync(file)) return undefined;
    const { height, round, step } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string | number>;
    return { height: BigInt(height ?? 0), round: Number(round), step: Number(step) };
  }

  /** Height and app hash of the last block. */
  get last(): { readonly height: bigint; readonly appHash: string } {
    return withNode({ path: this.path, handlers: HANDLERS }, ({ app }) => ({
      height: app.lastCommitID.version,
      appHash: toHex(app.lastCommitID.hash),
    }));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function isLower(one: LastSigned, other: LastSigned): boolean {
  if (one.height !== other.height) return one.height < other.height;
  return one.round !== other.round ? one.round < other.round : one.step < other.step;
}
