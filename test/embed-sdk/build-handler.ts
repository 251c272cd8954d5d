/** Compiles one file of handler sources as `chaind handler build` does, with the metered module in the same file. */
import { resolve } from "node:path";
import asc, { version } from "assemblyscript/asc";
import { compileHandler } from "../../host/author/compile.js";
import { concatBytes, utf8 } from "../../host/bytes.js";
import { examineHandler } from "../../host/handler/check/check.js";
import { meterModule } from "../../host/handler/meter/meter.js";

/** @throws UpgradeError when it does not compile */
export async function buildHandler(project: string, entry: string): Promise<Uint8Array> {
  const compiler = { version, main: asc.main };
  const { bytes } = await compileHandler({ compiler, project, entry, packageRoot: resolve(".") });
  const { module } = examineHandler(bytes);
  if (!module) throw new Error(`${entry}: nodes would refuse it`);
  return concatBytes(bytes, customSection("chain-upgrade.metered", meterModule(module)));
}

function customSection(name: string, payload: Uint8Array): Uint8Array {
  const named = concatBytes(leb128(name.length), utf8(name), payload);
  return concatBytes(Uint8Array.of(0), leb128(named.length), named);
}

function leb128(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
