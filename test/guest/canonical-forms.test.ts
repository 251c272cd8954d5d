/** Immediates that some engines take in a longer form than others: one form is taken here, so acceptance depends on none. */
import { expect, test } from "vitest";
import { concatBytes, fromHex, toHex } from "../../host/base/text/bytes.js";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { decodeModule } from "../../host/upgrade/wasm/decode.js";
import { Findings } from "../../host/upgrade/wasm/findings.js";
import { SECTION } from "../../host/upgrade/wasm/wasm-module.js";
import { assemble, guest, leb, MINIMAL_MANIFEST, manifestSection, section } from "./build.js";

/** The module with bytes of handler_run's body put in the place of others, sizes mended. */
function patched(run: string, from: string, to: string): Uint8Array {
  const wasm = assemble(guest({ run }));
  const { module } = decodeModule(wasm, new Findings());
  const code = module.sections.find(({ id }) => id === SECTION.code);
  if (!code) throw new Error("there is no code");
  const bodies = module.bodies.map(({ start, end }) => {
    const body = fromHex(toHex(wasm.subarray(start, end)).replace(from, to));
    return concatBytes(Uint8Array.from(leb(body.length)), body);
  });
  const content = concatBytes(Uint8Array.from(leb(bodies.length)), ...bodies);
  const rest = wasm.subarray(code.end);
  return concatBytes(
    wasm.subarray(0, code.start),
    section(SECTION.code, content),
    rest,
    manifestSection(MINIMAL_MANIFEST),
  );
}

test.each([
  ["the type of a block", "(block (nop)) (i32.const 0)", "024001", "02c07f01"],
  ["memory.size's memory", "(drop (memory.size)) (i32.const 0)", "3f001a", "3f80001a"],
  ["memory.grow's memory", "(drop (memory.grow (i32.const 0))) (i32.const 0)", "40001a", "4080001a"],
  [
    "memory.fill's memory",
    "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0)",
    "fc0b00",
    "fc0b8000",
  ],
  [
    "memory.fill's number after 0xfc",
    "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0)",
    "fc0b00",
    "fc8b0000",
  ],
])("%s in two bytes → UPG_HANDLER_FORMAT, where it is", (_, run, from, to) => {
  expect(checkHandler(patched(run, from, from)).findings).toEqual([]);
  const [finding] = checkHandler(patched(run, from, to)).findings;
  expect(finding).toMatchObject({ code: "UPG_HANDLER_FORMAT", function: "run", offset: expect.any(Number) });
});
