/** A node that serves an engine: what it ends by, what it waits for, and what CometBFT's own files must be. */
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import type { Answer } from "../../../../host/node/comet/messages.js";
import { Home } from "../../../../host/node/home/home.js";
import { type App, app, never, node, program, until } from "./running-node.js";
import { COMMIT, finalize, folder, INFO } from "./served.js";

const FAILURE = new UpgradeError("UPG_STORE_IO", "the disk of this test");
const PROPOSAL = { case: "prepareProposal" as const, value: { height: 1n } };

describe("runAppNode()", () => {
  test("asked to stop in a block that fails then → ends by that failure", async () => {
    let fail: () => void = () => undefined;
    const failed = new Promise<Answer>((_, reject) => {
      fail = () => reject(FAILURE);
    });
    let calls = 0;
    const running = await node({
      answer: (call) => {
        calls++;
        return call.case === "finalizeBlock" ? failed : app(call);
      },
      untilIdle: () => failed.then(() => undefined).catch(() => undefined),
    });
    const engine = await running.engine();
    const response = engine.call(finalize(1n));
    await until(() => calls === 1);
    running.stop();
    fail();
    expect(await response).toMatchObject({ case: "exception", value: { error: FAILURE.message } });
    engine.end();
    expect(await running.end).toBe(FAILURE);
  });

  test("asked to stop between the run and the commit of an engine that has gone → ends", async () => {
    const running = await node({ untilIdle: () => never });
    const engine = await running.engine();
    await engine.call(finalize(1n));
    engine.end();
    await engine.closed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    running.stop();
    expect(await running.end).toBeUndefined();
  });

  test("asked to stop between the run and the commit of an engine that is connected → waits for the commit", async () => {
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const running = await node({ untilIdle: () => committed });
    const engine = await running.engine();
    await engine.call(finalize(1n));
    running.stop();
    expect(await engine.call(COMMIT)).toMatchObject({ case: "commit" });
    commit();
    expect(await running.end).toBeUndefined();
  });

  test("an engine that speaks gRPC → an error in the log, and its connection is closed", async () => {
    const running = await node({});
    const port = Number(/:([0-9]+)$/.exec(running.at)?.[1]);
    const socket = connect(port, "127.0.0.1", () => socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    socket.resume();
    await once(socket, "close");
    expect(running.said.filter((line) => line.includes("speaks gRPC"))).toHaveLength(1);
    running.stop();
    expect(await running.end).toBeUndefined();
  });

  test.each([
    ["1.0.1", "2.1.0"],
    ["0.37.5", "1.0.0"],
    ["0.34.24", "0.17.0"],
    ["", "3.0.0"],
  ])(
    "CometBFT %j with ABCI %s → an exception and an error in the log, with the version that works",
    async (version, abciVersion) => {
      const running = await node({});
      const engine = await running.engine();
      const info = { case: "info" as const, value: { version, abciVersion } };
      const words = `with ABCI ${abciVersion}, and this node works with CometBFT 0.38 (ABCI 2.0.0): \`go install `;
      expect(await engine.call(info)).toMatchObject({
        case: "exception",
        value: { error: expect.stringContaining(words) },
      });
      expect(running.said.filter((line) => line.includes(words))).toHaveLength(1);
      running.stop();
      expect(await running.end).toBeUndefined();
    },
  );

  test("messages framed as before 0.37, cut anywhere after the first lengths → an error in the log, and the connection is closed", async () => {
    const info = Buffer.from("1a0d0a07302e33342e323410011802", "hex");
    const echo = Buffer.from("0a020a00", "hex");
    const flush = Buffer.from("1200", "hex");
    const old = (message: Buffer) => Buffer.concat([Buffer.of(2 * message.length), message]);
    for (const bytes of [Buffer.concat([old(info), old(flush)]), old(flush), old(echo), old(info).subarray(0, 3)]) {
      const running = await node({});
      const port = Number(/:([0-9]+)$/.exec(running.at)?.[1]);
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.resume();
      await once(socket, "close");
      expect(running.said.filter((line) => line.includes("before 0.37"))).toHaveLength(1);
      running.stop();
      expect(await running.end).toBeUndefined();
    }
  });

  test("an engine is connected from its first question on until it hangs up", async () => {
    const running = await node({});
    expect(running.isConnected()).toBe(false);
    const engine = await running.engine();
    await engine.call({ case: "echo", value: { message: "" } });
    expect(running.isConnected()).toBe(false);
    await engine.call(INFO);
    expect(running.isConnected()).toBe(true);
    engine.end();
    await until(() => !running.isConnected());
    running.stop();
    await running.end;
  });

  test("the application is gone → its failure, and CometBFT is ended", async () => {
    const home = new Home(mkdtempSync(join(folder, "gone-")));
    let die: () => void = () => undefined;
    const appEnded = new Promise<never>((_, reject) => {
      die = () => reject(FAILURE);
    });
    const running = await node({ comet: program(home), appEnded });
    await until(() => existsSync(join(home.path, "started")));
    die();
    expect(await running.end).toBe(FAILURE);
  });

  test.each([
    ["cannot read its state", FAILURE, "UPG_STORE_IO"],
    ["is asked what it cannot know", new UpgradeError("UPG_INVALID_HEIGHT", "another height"), "UPG_HALT_ENGINE"],
  ])("a proposal where the application %s, and CometBFT ends by that → %s", async (_what, error, code) => {
    const home = new Home(mkdtempSync(join(folder, "proposal-")));
    const answer: App = (call) => (call.case === "prepareProposal" ? Promise.reject(error) : app(call));
    const running = await node({ comet: program(home), answer });
    const engine = await running.engine();
    expect(await engine.call(PROPOSAL)).toMatchObject({ case: "exception" });
    writeFileSync(join(home.path, "end"), "");
    engine.end();
    expect(await running.end).toMatchObject({ code });
  });
});
