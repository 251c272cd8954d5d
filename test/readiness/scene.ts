/** What all scenes share: their tools, their plan, and what is observed at its height. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compileSource, IMPORTS } from "../guest/kit/author.js";
import type { HttpServer } from "../unit/visor/download/http-server.js";
import type { Bed, BedOptions } from "./bed.js";
import type { Supervised } from "./supervised.js";
import type { Surface } from "./surfaces.js";

/** Of the plan in most scenes. */
export const HEIGHT = 60;

export interface Played {
  readonly surfaces: readonly Surface[];
  /** Block H + 1 was made, and block H by the program or handler that the situation asks for. */
  readonly isMade: boolean;
  readonly detail: string;
}

export type Scene = (use: Use) => Promise<Played>;

/** Tools of a scene; beds and servers close after it. */
export interface Use {
  bed(options?: BedOptions): Promise<Bed>;
  server(): Promise<HttpServer>;
  /** Called after the scene, the last one first. */
  onEnd(close: () => unknown): void;
  /** Real programs of other chains, by name; undefined: not on this machine. */
  readonly foreign: string | undefined;
}

/** The machine lacks what the scene needs. */
export class Skipped extends Error {}

export const plan = (name = "v2", info = "", height = HEIGHT) => ({ plan: { name, height: BigInt(height), info } });

export const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The home's own record of the plan's block. */
export const isApplied = ({ home }: Supervised, name: string) => existsSync(join(home, `data/receipts/${name}.json`));

/** How long a node is watched that should not make block H + 1, from block H − 1 on. */
const WATCHED_MILLIS = 60_000;

/** Waits for block H + 1. @throws Error when the surfaces were read after the height */
export async function played(
  bed: Supervised,
  name: string,
  before: readonly Surface[],
  height = HEIGHT,
): Promise<Played> {
  const at = await bed.height();
  if (at >= height) throw new Error(`the surfaces were read too late, at height ${at}`);
  return outcome(bed, name, before, height);
}

/** The same where the node has come to the height before the surfaces were read. */
export async function outcome(
  bed: Supervised,
  name: string,
  before: readonly Surface[],
  height = HEIGHT,
): Promise<Played> {
  for (const blocks of [400, 200, 1]) await bed.untilHeight(height - blocks);
  const isBeyond = await bed.untilHeight(height + 1, WATCHED_MILLIS);
  const last = bed.lastHeight === 0 ? "no block was seen" : `last block seen ${bed.lastHeight}`;
  return { surfaces: before, isMade: isBeyond && isApplied(bed, name), detail: `${last}${bed.end}` };
}

export async function handler(source = HANDLER): Promise<Uint8Array> {
  return (await compileSource(`${IMPORTS}\n${source}`)).bytes;
}

export const HANDLER = 'plan("v9", 1_000_000_000); const bank = store("bank").prefix("02"); migrate("bank", 2, 3);';
