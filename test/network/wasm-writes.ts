/** A Wasm handler that writes records as they are given: built by the compiler of handler authors. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "../../host/base/text/bytes.js";
import { compileHandler } from "../../host/cli/author/compile.js";
import { openCompiler } from "../../host/cli/author/compiler.js";
import type { Network } from "./network.js";

const ROOT = join(import.meta.dirname, "../..");

export interface Writes {
  readonly plan: string;
  readonly store: string;
  /** Hex of the first byte of its keys. */
  readonly prefix: string;
  /** Undefined: the record is deleted. */
  readonly records: readonly (readonly [key: Uint8Array, value: Uint8Array | undefined])[];
}

const bytes = (value: Uint8Array) => `Bytes.hex("${toHex(value)}")`;

function sourceOf({ plan, store, prefix, records }: Writes): string {
  const lines = records.map(([key, value]) =>
    value ? `  written.set(${bytes(key)}, ${bytes(value)});` : `  written.delete(${bytes(key)});`,
  );
  return `import { allow, Bytes, plan, scan, store } from "chain-upgrade/handler";

plan("${plan}", 10_000_000_000);
const written = store("${store}").prefix("${prefix}");
allow("writeStores", "${store}");
scan(written, "${prefix}", look, write);

function look(key: Bytes, value: Bytes): void {}

function write(): void {
${lines.join("\n")}
}
`;
}

/** Every node goes on with it at the height, in the same process. */
export async function stageWrites({ nodes }: Network, writes: Writes): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), "chain-upgrade-writes-"));
  try {
    mkdirSync(join(project, "assembly"));
    writeFileSync(join(project, "assembly/index.ts"), sourceOf(writes));
    const compiler = await openCompiler(project, ROOT);
    const handler = await compileHandler({ compiler, project, entry: "assembly/index.ts", packageRoot: ROOT });
    for (const { home } of nodes) {
      mkdirSync(join(home, "handlers/staged"), { recursive: true });
      writeFileSync(join(home, `handlers/staged/${writes.plan}.wasm`), handler.bytes);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
