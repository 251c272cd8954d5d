/** Workers that are processes: when they serve, how they end, and those that are started before their turn. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import { ResponseSchema } from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { frame } from "../../../../host/node/comet/frames.js";
import type { Program } from "../../../../host/node/programs/layout.js";
import { kindOfEnd } from "../../../../host/visor/hot/worker.js";
import { WorkerProcess } from "../../../../host/visor/hot/worker-process.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { until } from "./until.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-worker-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const info = { lastBlockHeight: 7n, lastBlockAppHash: Uint8Array.of(1, 2) };
const response = toBinary(ResponseSchema, create(ResponseSchema, { value: { case: "info", value: info } }));
/** An application that knows its place alone. A relay that is gone ends it. */
const SCRIPT = `
const path = process.argv[2];
process.on("disconnect", () => process.exit(0));
const serve = () => require("node:net").createServer((socket) => {
  socket.on("error", () => undefined).once("data", () => socket.write(Buffer.from(process.argv[3], "base64")));
}).listen(path);
if (process.env.CHAIND_RELAYED === "next") process.once("message", serve), process.send("ready");
else if (path === "none") process.exit(30);
else serve();
`;
const script = join(root, "application.cjs");
writeFileSync(script, SCRIPT);
const program: Program = { name: "test", file: script, folder: undefined };
const message = Buffer.concat(frame(response)).toString("base64");
let sockets = 0;

const start = (options: { path?: string; isStandby?: boolean; file?: string } = {}) => {
  const socket = options.path ?? join(root, `${sockets++}.sock`);
  const chosen = { ...program, file: options.file ?? script };
  return {
    socket,
    worker: new WorkerProcess({
      machine: realMachine,
      program: chosen,
      args: [socket, message],
      socket,
      env: process.env,
      prefix: "CHAIND_",
      ...options,
    }),
  };
};

describe("WorkerProcess", () => {
  test("a program that serves → its place; stop() → SIGTERM, and no place any more", async () => {
    const { worker } = start();
    expect(await worker.lastBlock()).toEqual({ height: 7n, appHash: Uint8Array.of(1, 2) });
    expect(await worker.stop()).toMatchObject({ signal: "SIGTERM" });
    expect(await worker.lastBlock()).toBeUndefined();
  });

  test("held back → ready, and serves when it is asked for its place", async () => {
    const { worker, socket } = start({ isStandby: true });
    await until(() => worker.isReady);
    expect(existsSync(socket)).toBe(false);
    expect(await worker.lastBlock()).toMatchObject({ height: 7n });
    await worker.stop();
  });

  test("a program that ends, or cannot be run → no place, and how it ended", async () => {
    const ending = start({ path: "none" }).worker;
    expect(await ending.lastBlock()).toBeUndefined();
    expect(await ending.ended).toEqual({ exit: 30, signal: null, error: undefined });
    const missing = start({ file: join(root, "missing") }).worker;
    expect(await missing.lastBlock()).toBeUndefined();
    expect((await missing.ended).error?.message).toContain("is missing");
  });
});

describe("kindOfEnd()", () => {
  test.each([
    [10, "upgrade"],
    [12, "too-old"],
    [14, "again"],
    [0, "crash"],
    [15, "crash"],
    [137, "crash"],
    [null, "crash"],
    [1, "final"],
    [11, "final"],
    [13, "final"],
    [20, "final"],
    [30, "final"],
    [70, "final"],
  ] as const)("exit status %s → %s", (exit, kind) => {
    expect(kindOfEnd({ exit, signal: exit === null ? "SIGKILL" : null, error: undefined })).toBe(kind);
  });
});
