/** Set up once for all end-to-end tests of a run: the folder where the first test that needs the packed package packs it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    packedFolder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-packed-"));
  project.provide("packedFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
