/** Handlers on disk: what is no handler, or the second for a plan, is refused by the name of its file (21). */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { HANDLER_BYTES_MAX } from "../../host/base/types/limits.js";
import { loadHandlersFolders } from "../../host/node/home/handlers-folder.js";
import { build, guest } from "../guest/build.js";
import { failureOf } from "./chain.js";
import { SPLIT_BALANCES } from "./versions.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = join(root, "handlers");
const other = join(root, "other");
beforeEach(() => {
  for (const each of [folder, other]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each);
  }
});

const failure = () => failureOf(() => loadHandlersFolders([folder, other], sha256));

const WRONG: readonly (readonly [what: string, bytes: () => Uint8Array, code: string, message: string])[] = [
  ["text", () => Buffer.from("not wasm at all"), "UPG_HANDLER_FORMAT", ""],
  ["an empty file", () => new Uint8Array(0), "UPG_HANDLER_FORMAT", ""],
  [
    "a module with an unknown import",
    () => build(guest({ imports: '(import "env" "now" (func $now (result i64)))' })),
    "UPG_HANDLER_IMPORT",
    "env.now",
  ],
  [
    "a module with floats",
    () => build(guest({ run: "(i32.trunc_f64_s (f64.add (f64.const 1) (f64.const 2)))" })),
    "UPG_HANDLER_OPCODE",
    "f64",
  ],
  [
    "a manifest with another access",
    () => build(guest(), { stores: [{ name: "a", access: "w" }] }),
    "UPG_HANDLER_MANIFEST",
    "$.stores[0].access",
  ],
  [
    "a manifest that scans a store it does not list",
    () => build(guest({ batch: "(i32.const 0)" }), { scans: [{ store: "a", prefix: "01" }] }),
    "UPG_HANDLER_MANIFEST",
    "$.scans[0].store",
  ],
  [
    "a manifest that writes to the upgrade store",
    () => build(guest(), { stores: [{ name: "upgrade", access: "rw" }] }),
    "UPG_HANDLER_MANIFEST",
    "$.stores[0].access",
  ],
];

describe("loadHandlersFolders()", () => {
  for (const [what, bytes, code, message] of WRONG) {
    test(`${what} → ${code} (21), by the file's name`, () => {
      copyFileSync(SPLIT_BALANCES, join(folder, "good.wasm"));
      writeFileSync(join(folder, "strange.wasm"), bytes());
      const error = failure();
      expect(error).toMatchObject({ code, kind: { exit: 21 } });
      expect(error.message).toContain(join(folder, "strange.wasm"));
      expect(error.message).toContain(message);
    });
  }

  test("two handlers for one plan in a folder → UPG_HANDLER_DUPLICATE (21), by both names", () => {
    copyFileSync(SPLIT_BALANCES, join(folder, "a.wasm"));
    copyFileSync(SPLIT_BALANCES, join(folder, "b.wasm"));
    const error = failure();
    expect(error).toMatchObject({ code: "UPG_HANDLER_DUPLICATE", kind: { exit: 21 } });
    expect(error.message).toContain(join(folder, "a.wasm"));
    expect(error.message).toContain(join(folder, "b.wasm"));
    expect(error.message).toContain('"v2"');
  });

  test("two handlers for one plan in two folders → UPG_HANDLER_DUPLICATE (21), by both names", () => {
    copyFileSync(SPLIT_BALANCES, join(folder, "a.wasm"));
    copyFileSync(SPLIT_BALANCES, join(other, "b.wasm"));
    const error = failure();
    expect(error).toMatchObject({ code: "UPG_HANDLER_DUPLICATE", kind: { exit: 21 } });
    expect(error.message).toContain(join(folder, "a.wasm"));
    expect(error.message).toContain(join(other, "b.wasm"));
  });

  test("a pipe and a device named as handlers → UPG_STORE_IO (30) at once, by the file's name", () => {
    for (const make of [
      (path: string) => execFileSync("mkfifo", [path]),
      (path: string) => symlinkSync("/dev/zero", path),
    ]) {
      const path = join(folder, "strange.wasm");
      make(path);
      const error = failure();
      expect(error).toMatchObject({ code: "UPG_STORE_IO", kind: { exit: 30 } });
      expect(error.message).toContain(`${path}: it is no regular file`);
      rmSync(path);
    }
  });

  test("a file one byte longer than a handler may be, and one of 1 TiB → UPG_HANDLER_LIMIT (21)", () => {
    for (const size of [HANDLER_BYTES_MAX + 1, 2 ** 40]) {
      writeFileSync(join(folder, "large.wasm"), "");
      truncateSync(join(folder, "large.wasm"), size);
      const error = failure();
      expect(error).toMatchObject({ code: "UPG_HANDLER_LIMIT", kind: { exit: 21 } });
      expect(error.message).toContain(`longer than the ${HANDLER_BYTES_MAX} bytes`);
    }
  });

  test("other files, and a folder that is absent → they are no handlers", () => {
    writeFileSync(join(folder, "README.md"), "not wasm");
    rmSync(other, { recursive: true });
    expect(loadHandlersFolders([folder, other], sha256)).toEqual([[], []]);
  });

  test("a file in the folder's place → UPG_STORE_IO (30), by its name", () => {
    rmSync(other, { recursive: true });
    writeFileSync(other, "");
    expect(failure()).toMatchObject({ code: "UPG_STORE_IO", message: expect.stringContaining(other) });
  });

  test("a folder named like a handler → UPG_STORE_IO (30), by its name", () => {
    mkdirSync(join(folder, "x.wasm"));
    expect(failure()).toMatchObject({ code: "UPG_STORE_IO", message: expect.stringContaining("x.wasm") });
  });
});
