/** A node that serves an engine: what it ends by, what it waits for, and what CometBFT's own files must be. */
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAbciAddress } from "../../../host/abci/address.js";
import { type AppNodeOptions, runAppNode } from "../../../host/abci/app-node.js";
import type { Answer, Call } from "../../../host/abci/messages.js";

import { HaltLinger } from "../../../host/engine/home/halt-linger.js";
import { Home } from "../../../host/engine/home/home.js";
import { UpgradeError } from "../../../host/errors.js";
import { cometFiles } from "../../../host/offline/comet-files.js";
import { makeHome } from "../../e2e/prepared-home.js";
import { genesisText } from "../../scenario/genesis-text.js";
import { AbciClient } from "./client.js";
import { COMMIT, finalize, folder, INFO } from "./served.js";

const never = new Promise<never>(() => undefined);
const FAILURE = new UpgradeError("UPG_STORE_IO", "the disk of this test");
const PROPOSAL = { case: "prepareProposal" as const, value: { height: 1n } };

/** An application that serves nothing but what a test gives it. */
type App = (call: Call) => Promise<Answer>;
const app: App = async (call) => ({ case: call.case, value: {} }) as Answer;

interface Node {
  /** Address of its ABCI server. */
  readonly at: string;
  /** The error that it ended by; undefined: none. */
  readonly end: Promise<unknown>;
  /** Its log. */
  readonly said: readonly string[];
  stop(): void;
  isConnected(): boolean;
  engine(): Promise<AbciClient>;
}

async function node(options: Partial<AppNodeOptions>): Promise<Node> {
  const stopping = new AbortController();
  let isConnected = () => false;
  let opened: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    opened = resolve;
  });
  const said: string[] = [];
  const end = runAppNode({
    ...{
      isNew: true,
      isRestored: () => false,
      nextHeight: () => 1n,
      comet: undefined,
      address: parseAbciAddress("tcp://127.0.0.1:0"),
    },
    ...{
      answer: app,
      untilIdle: async () => undefined,
      appEnded: never,
      linger: new HaltLinger({ millis: 0, isAsked: false }, () => undefined),
    },
    log: (level, message) => {
      said.push(`${level} ${message}`);
      opened(/^ABCI server open at (.*)$/.exec(message)?.[1] ?? "");
    },
    onOpen: (ask) => {
      isConnected = ask;
    },
    signal: stopping.signal,
    ...options,
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const at = await address;
  const engine = () => AbciClient.connect(at);
  return { at, end, engine, said, stop: () => stopping.abort(), isConnected: () => isConnected() };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A program in place of CometBFT: it makes the file `started` in its home, and ends when a file `end` is there. */
const program = (home: Home) => ({
  program: "/bin/sh",
  args: ["-c", 'touch "$0/started"; until [ -e "$0/end" ]; do sleep 0.05; done', home.path],
  files: cometFiles(home),
});

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

describe("CometBFT's own files", () => {
  const start = async (change: (home: Home) => void, isNew = true) => {
    const home = new Home(mkdtempSync(join(folder, "files-")));
    makeHome(home.path, genesisText());
    change(home);
    writeFileSync(join(home.path, "end"), "");
    const running = await node({ isNew, comet: program(home) });
    const error = await running.end;
    return { home, error, said: running.said.join("\n"), hasStarted: existsSync(join(home.path, "started")) };
  };
  const damaged = (file: "nodeKeyFile" | "validatorKeyFile" | "lastSignedFile", text: string) => (home: Home) =>
    writeFileSync(home[file], text);

  test.each([
    ["an empty node key", damaged("nodeKeyFile", ""), "UPG_INVALID_CONFIG"],
    ["a node key without a key", damaged("nodeKeyFile", "{}"), "UPG_INVALID_CONFIG"],
    ["an empty consensus key", damaged("validatorKeyFile", ""), "UPG_INVALID_CONFIG"],
    ["an empty record of what was signed", damaged("lastSignedFile", ""), "UPG_STORE_CORRUPT"],
  ])("%s → %s, and CometBFT is not started", async (_what, change, code) => {
    expect(await start(change)).toMatchObject({ error: { code }, hasStarted: false });
  });

  test("no record of what was signed: on a new chain it is made; later → UPG_INVALID_CONFIG that says what to do", async () => {
    const without = (home: Home) => rmSync(home.lastSignedFile);
    const { home, ...made } = await start(without);
    expect(made).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(existsSync(home.lastSignedFile)).toBe(true);
    const later = await start(without, false);
    expect(later).toMatchObject({ error: { code: "UPG_INVALID_CONFIG" }, hasStarted: false });
    expect((later.error as Error).message).toContain("restore");
  });

  test("a consensus key that has signed is missing → UPG_INVALID_CONFIG, its record stays; the record moved away → CometBFT starts", async () => {
    const record = '{ "height": "7", "round": 0, "step": 3 }';
    const without = (keepsRecord: boolean) => (home: Home) => {
      rmSync(home.validatorKeyFile);
      if (keepsRecord) writeFileSync(home.lastSignedFile, record);
      else rmSync(home.lastSignedFile);
    };
    const { home, ...lost } = await start(without(true), false);
    expect(lost).toMatchObject({ error: { code: "UPG_INVALID_CONFIG" }, hasStarted: false });
    expect((lost.error as Error).message).toMatch(
      /is missing, and it has signed up to height 7 .*restore it from your backup/,
    );
    expect(readFileSync(home.lastSignedFile, "utf8")).toBe(record);
    expect(await start(without(false), false)).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
  });

  test("a node key that is missing once there are blocks → a warning that the id changes", async () => {
    const { said, hasStarted } = await start((home) => rmSync(home.nodeKeyFile), false);
    expect(said).toMatch(/^warn .*node_key\.json is missing: CometBFT makes another one/m);
    expect(hasStarted).toBe(true);
  });

  test("a key that has signed, on a chain without a block → a warning that names the height; none once there are blocks", async () => {
    const signed = damaged("lastSignedFile", '{ "height": "7", "round": 0, "step": 3 }');
    const begun = await start(signed);
    expect(begun).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(begun.said).toMatch(/^warn .*has signed up to height 7/m);
    expect((await start(signed, false)).said).not.toContain("has signed");
    expect((await start(() => undefined)).said).not.toContain("has signed");
  });

  test("files that CometBFT's settings have elsewhere → looked at there", async () => {
    const state = (text: string) => (home: Home) => {
      mkdirSync(join(home.path, "signed"));
      writeFileSync(join(home.path, "signed/state.json"), text);
      rmSync(home.lastSignedFile);
      writeFileSync(home.nodeKeyFile, "");
      const lines = ['priv_validator_state_file = "signed/state.json"', 'node_key_file = "/none/key.json"', ""];
      writeFileSync(join(home.configFolder, "config.toml"), lines.join("\n"));
    };
    const whole = await start(state('{ "height": "3", "round": 0, "step": 3 }'), false);
    expect(whole).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
    expect(await start(state(""), false)).toMatchObject({ error: { code: "UPG_STORE_CORRUPT" }, hasStarted: false });
  });

  test("no keys at all → they are CometBFT's to make", async () => {
    const without = (home: Home) => {
      for (const file of [home.nodeKeyFile, home.validatorKeyFile, home.lastSignedFile]) rmSync(file);
    };
    expect(await start(without, false)).toMatchObject({ error: { code: "UPG_HALT_ENGINE" }, hasStarted: true });
  });
});
