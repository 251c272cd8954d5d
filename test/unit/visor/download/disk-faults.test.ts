/**
 * A disk that fails at any call, and a process that is killed at any call: what is in the program's place is the whole program or
 * nothing, the error has a code, and the next run comes to the end and leaves nothing else.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import type { Files } from "../../../../host/base/files/files.js";
import { type FetchOptions, fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { stageHandler } from "../../../../host/visor/download/stage-handler.js";
import { sampled } from "../../../sample.js";
import { tarOf, zipOf } from "./archives.js";
import { fetchOptions, infoOf, sha256, treeOf, useScratch } from "./fetching.js";
import { HttpServer, sendFile } from "./http-server.js";

useScratch();

const PROGRAM = `#!/bin/sh\n${"# version 2\n".repeat(400)}`;
let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

/** Every call in `npm run test:whole`. */
const STEP = sampled(11, 1);

type Fault = "EIO" | "ENOSPC" | "torn" | "killed";

/** The `at`th call fails; of one that is killed, all after it too. A write that is torn has half of its bytes on disk. */
function failingFiles(at: number, fault: Fault): Files & { readonly calls: number } {
  let calls = 0;
  const fails = () => {
    calls++;
    return fault === "killed" ? calls > at : calls === at + 1;
  };
  const failure = () => Object.assign(new Error(`${fault}: made up`), { code: fault === "ENOSPC" ? "ENOSPC" : "EIO" });
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name) => {
        const value = Reflect.get(of, name) as unknown;
        if (typeof value !== "function") return name === "calls" ? calls : value;
        return (...args: unknown[]) => {
          if (fails()) {
            if (name === "write" && fault !== "EIO") value.call(of, (args[0] as Uint8Array).subarray(0, 100));
            if (name === "close") value.call(of);
            throw failure();
          }
          const result: unknown = value.apply(of, args);
          return name === "open" ? guarded(result as object) : result;
        };
      },
    });
  return guarded({ ...diskFiles, calls: 0 });
}

const FILES = [
  { name: "bin/appd", bytes: PROGRAM },
  { name: "lib/a", bytes: "x" },
];
const KINDS: readonly (readonly [kind: string, path: string, bytes: Uint8Array])[] = [
  ["file", "/appd", Buffer.from(PROGRAM)],
  ["zip", "/appd.zip", zipOf(FILES)],
  ["tar.gz", "/appd.tar.gz", gzipSync(tarOf(FILES))],
];

describe.each(["EIO", "ENOSPC", "torn", "killed"] as const)("%s at each file call", (fault) => {
  test.each(KINDS)("fetchProgram() of a %s → a code, or the program; the next run succeeds", async (_, path, bytes) => {
    const url = server.on(path, (request, response, times) =>
      sendFile(request, response, { bytes, etag: '"1"' }, times % 2 === 0 ? Math.ceil(bytes.length / 2) : undefined),
    );
    const info = infoOf(`${url}?checksum=${sha256(bytes)}`);
    let rounds = 0;
    for (let isFailing = true; isFailing; rounds += STEP) {
      const options = fetchOptions(info);
      const files = failingFiles(rounds, fault);
      isFailing = (await failureOf({ ...options, files })) || files.calls > rounds;
      await checkPlace(options);
      if (rounds > 300) throw new Error("it does not come to an end");
    }
    expect(rounds).toBeGreaterThan(20);
  });

  test("stageHandler() → the same", async () => {
    const bytes = Buffer.from("\0asm handler");
    const url = server.file("/v2.wasm", bytes);
    const info = JSON.stringify({ binaries: { any: "x" }, handler: { url, sha256: sha256(bytes) } });
    for (let at = 0; at < 60; at += STEP) {
      const { folder: home, ...options } = fetchOptions(info);
      const handler = { ...options, home, folder: home, name: "v2", isDownloadAllowed: true };
      const part = join(home, "part");
      await stageHandler({ ...handler, part, files: failingFiles(at, fault) }).catch(requireCode);
      const file = join(home, "handlers/staged/v2.wasm");
      if (existsSync(file)) expect(readFileSync(file)).toEqual(bytes);
      await stageHandler({ ...handler, part });
      expect(readFileSync(file)).toEqual(bytes);
    }
  });
});

async function failureOf(options: FetchOptions): Promise<boolean> {
  try {
    await fetchProgram(options);
    return false;
  } catch (error) {
    requireCode(error);
    return true;
  }
}

function requireCode(error: unknown): void {
  if (!isUpgradeError(error)) throw error;
  expect(["UPG_STORE_IO", "UPG_STORE_FULL", "UPG_REMOTE_UNAVAILABLE"]).toContain(error.code);
}

/** After a failure: the whole program or none; after the next run: the program, and nothing beside it. */
async function checkPlace(options: FetchOptions): Promise<void> {
  const file = join(options.folder, "bin/appd");
  if (existsSync(file)) expect(readFileSync(file, "utf8")).toBe(PROGRAM);
  else await fetchProgram(options);
  expect(readFileSync(file, "utf8")).toBe(PROGRAM);
  const others = treeOf(dirname(options.folder)).filter((path) => !/^v2\/((bin|lib)\/(appd|a)?)?$/.test(path));
  expect(others.filter((path) => !path.startsWith("v2#part/"))).toEqual([]);
}
