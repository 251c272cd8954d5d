/** The application on real sockets: four connections, order, one engine at a time, and whatever else may be written to them. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { parseAbciAddress } from "../../../host/abci/address.js";
import { REQUESTS_WAITING_MAX } from "../../../host/abci/connection.js";
import { ServedApp } from "../../../host/abci/served-app.js";
import { AbciServer, type AbciServerOptions } from "../../../host/abci/server.js";
import type { AppQuery, AppQueryResult } from "../../../host/chain/engine-port.js";
import { RequestSchema } from "../../../host/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../../host/native/sha256.js";
import { Chain, failureOf } from "../../scenario/chain.js";
import { AbciClient } from "./client.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-abci-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NONE = new Uint8Array(0);
const TIME = { seconds: 1_767_225_600n, nanos: 0 };
const INFO = { case: "info" as const, value: { version: "0.38.25", abciVersion: "2.0.0" } };
const INIT = {
  case: "initChain" as const,
  value: { chainId: "scenario-1", time: TIME, initialHeight: 1n },
};
const finalize = (height: bigint) => ({ case: "finalizeBlock" as const, value: { height, time: TIME } });
const COMMIT = { case: "commit" as const, value: {} };
const echo = (message: string) => ({ case: "echo" as const, value: { message } });

/** Gives back its path, later when the path says so. */
async function answerQuery({ path, height }: AppQuery): Promise<AppQueryResult> {
  if (path === "bug") throw new TypeError("a bug");
  if (path === "slow") await new Promise((resolve) => setTimeout(resolve, 30));
  const result = { code: 0, codespace: "", log: path, info: "", key: NONE, value: NONE };
  return { ...result, proof: [{ type: "t", key: NONE, data: NONE }], height };
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Served {
  readonly server: AbciServer;
  readonly chain: Chain;
  readonly failures: unknown[];
  client(): Promise<AbciClient>;
}

async function serve(address = "tcp://127.0.0.1:0", options: Partial<AbciServerOptions> = {}): Promise<Served> {
  const chain = new Chain();
  const failures: unknown[] = [];
  const port = new ServedApp({ app: chain.start().app, genesis: chain.genesis }, answerQuery);
  const onFailed = (error: unknown) => failures.push(error);
  const server = await AbciServer.listen(parseAbciAddress(address), { port, onFailed, ...options });
  open.push(server);
  const client = async () => {
    const made = await AbciClient.connect(server.address);
    open.push({ close: () => made.end() });
    return made;
  };
  return { server, chain, failures, client };
}

describe("blocks over a socket", () => {
  for (const kind of ["tcp", "unix"]) {
    test(`${kind}: info, initChain, proposals, blocks, commit → the app hash of the same blocks without a socket`, async () => {
      const served = await serve(kind === "tcp" ? undefined : `unix://${join(folder, "blocks.sock")}`);
      const client = await served.client();
      expect(await client.call(INFO)).toMatchObject({ case: "info", value: { data: "chaind", lastBlockHeight: 0n } });
      expect(await client.call(INIT)).toMatchObject({
        value: {
          appHash: new Uint8Array(sha256(NONE)),
          consensusParams: { block: { maxBytes: 22_020_096n, maxGas: -1n } },
        },
      });
      const txs = [new Uint8Array(3)];
      const proposal = { height: 1n, txs, time: TIME };
      expect(await client.call({ case: "prepareProposal", value: { ...proposal, maxTxBytes: 5n } })).toMatchObject({
        value: { txs },
      });
      expect(await client.call({ case: "processProposal", value: proposal })).toMatchObject({ value: { status: 1 } });
      const own = new Chain().start();
      for (let height = 1n; height < 4n; height++) {
        const plain = own.block({ time: TIME });
        const result = await client.call(finalize(height));
        expect(result).toMatchObject({ case: "finalizeBlock", value: { appHash: plain.appHash } });
        expect(await client.call(COMMIT)).toMatchObject({ case: "commit", value: { retainHeight: 0n } });
      }
      expect(await client.call(INFO)).toMatchObject({ value: { lastBlockHeight: 3n } });
    });
  }

  test("votes, evidence and times → the module's block; a vote with an unknown flag → an exception, nothing ran", async () => {
    const { client, failures } = await serve();
    const consensus = await client();
    const validator = { address: new Uint8Array(20), power: 5n };
    const block = (blockIdFlag: number) => ({
      case: "finalizeBlock" as const,
      value: { height: 1n, time: TIME, decidedLastCommit: { round: 1, votes: [{ validator, blockIdFlag }] } },
    });
    expect(await consensus.call(block(3))).toMatchObject({ case: "finalizeBlock" });
    expect(await consensus.call(block(9))).toMatchObject({
      case: "exception",
      value: { error: expect.stringContaining("flag 9") },
    });
    expect(failures).toMatchObject([{ code: "UPG_INVALID_ARGUMENT" }]);
  });

  test("a block that comes again → the same answer; after an engine that hung up another one begins again", async () => {
    const { client, server } = await serve();
    const first = await client();
    const one = await first.call(finalize(1n));
    first.end();
    while (server.kinds.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const second = await client();
    expect(await second.call(INFO)).toMatchObject({ value: { lastBlockHeight: 0n } });
    const again = await second.call(finalize(1n));
    expect(again).toEqual(one);
    await second.call(COMMIT);
  });

  test("a second engine while one is connected → an exception, and nothing of the first one's block is dropped", async () => {
    const { client } = await serve();
    const [first, second] = [await client(), await client()];
    await first.call(finalize(1n));
    for (const call of [finalize(1n), COMMIT, INIT]) {
      expect(await second.call(call)).toMatchObject({
        case: "exception",
        value: { error: expect.stringContaining("one at a time") },
      });
    }
    expect(await second.call(INFO)).toMatchObject({ value: { lastBlockHeight: 0n } });
    expect(await first.call(COMMIT)).toMatchObject({ case: "commit" });
  });

  test("a call of consensus that fails → what is written down first, then an exception with the message", async () => {
    const { client, failures } = await serve();
    const consensus = await client();
    expect(await consensus.call(COMMIT)).toMatchObject({
      case: "exception",
      value: { error: expect.stringContaining("commit()") },
    });
    expect(failures).toMatchObject([{ code: "UPG_BUG_ASSERT" }]);
    // The application has ended: whatever comes then is refused too, and the rest goes on.
    expect(await consensus.call(finalize(1n))).toMatchObject({ case: "exception" });
    expect(await (await client()).call(INFO)).toMatchObject({ case: "info" });
  });
});

describe("the other connections", () => {
  test("requests that are sent ahead → responses in their order, however long each takes; every flush has its response", async () => {
    const { client } = await serve();
    const query = await client();
    const paths = ["slow", "a", "slow", "b"];
    const sent = paths.flatMap((path) => [
      query.call({ case: "query", value: { path, height: 7n } }),
      query.call({ case: "flush", value: {} }),
    ]);
    const got = (await Promise.all(sent)).map((each) => (each.case === "query" ? each.value.log : each.case));
    expect(got).toEqual(["slow", "flush", "a", "flush", "slow", "flush", "b", "flush"]);
  });

  test("more requests than are taken at once, read late → all have their responses", async () => {
    const { client } = await serve();
    const mempool = await client();
    const sent = Array.from({ length: REQUESTS_WAITING_MAX * 4 }, (_, at) =>
      mempool.call(echo("x".repeat(5_000) + at)),
    );
    mempool.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    mempool.socket.resume();
    const got = await Promise.all(sent);
    expect(got.map((each) => (each.case === "echo" ? Number(each.value.message.slice(5_000)) : -1))).toEqual(
      sent.map((_, at) => at),
    );
  });

  test("checks and queries that go wrong → a code, never an exception, which would end CometBFT", async () => {
    const { client } = await serve();
    const any = await client();
    expect(await any.call({ case: "checkTx", value: { tx: new Uint8Array(2), type: 0 } })).toMatchObject({
      case: "checkTx",
      value: { codespace: "sdk" },
    });
    expect(await any.call({ case: "query", value: { path: "bug" } })).toMatchObject({
      case: "query",
      value: { code: 1, log: "a bug", info: "UPG_BUG_ASSERT" },
    });
  });

  test("snapshots and vote extensions → none, refused, empty", async () => {
    const { client } = await serve();
    const any = await client();
    const cases: [Parameters<AbciClient["call"]>[0], object][] = [
      [{ case: "listSnapshots", value: {} }, { snapshots: [] }],
      [{ case: "offerSnapshot", value: { snapshot: { height: 5n } } }, { result: 3 }],
      [{ case: "loadSnapshotChunk", value: { height: 5n } }, { chunk: NONE }],
      [{ case: "applySnapshotChunk", value: { index: 0 } }, { result: 2 }],
      [{ case: "extendVote", value: { height: 5n } }, { voteExtension: NONE }],
      [{ case: "verifyVoteExtension", value: {} }, { status: 1 }],
      [{ case: "verifyVoteExtension", value: { voteExtension: new Uint8Array(1) } }, { status: 2 }],
    ];
    for (const [call, value] of cases) expect(await any.call(call)).toMatchObject({ case: call.case, value });
  });
});

/** Deterministic, so that a failure comes again. */
function* randomBytes(seed: string): Generator<Uint8Array, never> {
  for (let at = 0; ; at++) yield sha256(new TextEncoder().encode(`${seed} ${at}`));
}

/** Requests by which a connection becomes one of its kind. */
const FIRST = {
  query: INFO,
  snapshot: { case: "listSnapshots" as const, value: {} },
  mempool: { case: "checkTx" as const, value: { tx: NONE } },
  consensus: finalize(1n),
};

/** What is no request: random bytes, a good one cut off, unknown numbers, fields of a wrong type. */
function* badMessages(seed: string): Generator<Uint8Array, never> {
  const good = toBinary(RequestSchema, create(RequestSchema, { value: finalize(1n) }));
  const random = randomBytes(seed);
  for (;;) {
    const bytes = random.next().value;
    const [a = 0, b = 0, c = 0] = bytes;
    // Wire type 7 does not exist, 0 to 2 as first byte is no field.
    yield Uint8Array.of((a & 0xf8) | 7, ...bytes.subarray(0, b % 32));
    yield good.subarray(0, 1 + (c % (good.length - 1)));
    // Numbers that are reserved or beyond: 4, 7, 9, 10, 21 and more.
    yield Uint8Array.of(([4, 7, 9, 10][a % 4] ?? 4) * 8 + 2, 0);
    yield Uint8Array.of(0xaa + (a % 5) * 8, 1, 0);
    yield NONE;
  }
}

describe("what is no request", () => {
  for (const [kind, first] of Object.entries(FIRST)) {
    test(`10,000 bad messages on the ${kind} connection → an exception each; it and the other three go on`, async () => {
      const { client, server, failures } = await serve(`unix://${join(folder, `${kind}.sock`)}`);
      const clients = new Map<string, AbciClient>();
      for (const [name, call] of Object.entries(FIRST)) {
        const one = await client();
        clients.set(name, one);
        await one.call(call);
      }
      expect(server.kinds.sort()).toEqual(Object.keys(FIRST).sort());
      const target = clients.get(kind) as AbciClient;
      const bad = badMessages(kind);
      for (let sent = 0; sent < 10_000; sent += 500) {
        const responses = Array.from({ length: 500 }, () => target.send(bad.next().value));
        for (const { case: name } of await Promise.all(responses)) expect(name).toBe("exception");
        for (const one of clients.values())
          expect(await one.call(echo("here"))).toMatchObject({ value: { message: "here" } });
      }
      expect(failures).toEqual([]);
      expect(await target.call(first)).toMatchObject({ case: first.case });
      expect(await (clients.get("consensus") as AbciClient).call(finalize(1n))).toMatchObject({
        case: "finalizeBlock",
      });
      expect(await (clients.get("consensus") as AbciClient).call(COMMIT)).toMatchObject({ case: "commit" });
    });
  }

  test("a length beyond the bound, or one that never ends → an exception and the end of that connection alone", async () => {
    const { client } = await serve(undefined, { frameBytesMax: 1_000 });
    const other = await client();
    for (const bytes of [Uint8Array.of(0xe9, 0x07), new Uint8Array(10).fill(0x80), new Uint8Array(50).fill(0xff)]) {
      const one = await client();
      const response = one.next();
      one.write(bytes);
      expect(await response).toMatchObject({ case: "exception" });
      await one.closed;
    }
    expect(await other.call(echo("here"))).toMatchObject({ case: "echo" });
  });

  test("requests before a wrong length → their responses come first", async () => {
    const { client } = await serve();
    const one = await client();
    const [first, second] = [one.call(echo("first")), one.next()];
    one.write(new Uint8Array(10).fill(0x80));
    expect(await first).toMatchObject({ case: "echo" });
    expect(await second).toMatchObject({ case: "exception" });
  });

  test("a connection that ends in the middle of a message, at any byte → it alone is gone", async () => {
    const { client, server } = await serve();
    const other = await client();
    for (let bytes = 1; bytes < 12; bytes++) {
      const one = await client();
      one.write(Uint8Array.of(40, ...new Uint8Array(bytes)).subarray(0, bytes));
      one.socket.end();
      await one.closed;
    }
    expect(await other.call(echo("here"))).toMatchObject({ case: "echo" });
    expect(server.kinds).toEqual([]);
  });
});

describe("where it listens", () => {
  test("the socket of a process that was killed → taken over; a file that is none → UPG_INVALID_CONFIG, left alone", async () => {
    const path = join(folder, "old.sock");
    const first = await serve(`unix://${path}`);
    await first.server.close();
    writeFileSync(path, "");
    await expect(serve(`unix://${path}`)).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
    expect(existsSync(path)).toBe(true);
  });

  test("a port that is taken → UPG_INVALID_CONFIG with the address", async () => {
    const { server } = await serve();
    await expect(serve(server.address)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining(server.address),
    });
  });

  test.each([
    ["unix:///run/a.sock", { kind: "unix", path: "/run/a.sock" }],
    ["tcp://127.0.0.1:26658", { kind: "tcp", host: "127.0.0.1", port: 26_658 }],
    ["[::1]:5", { kind: "tcp", host: "::1", port: 5 }],
    [":26658", { kind: "tcp", host: "0.0.0.0", port: 26_658 }],
  ])("%s → that address", (text, address) => expect(parseAbciAddress(text)).toEqual(address));

  test.each([
    "unix://",
    "tcp://127.0.0.1",
    "tcp://127.0.0.1:65536",
    "http://127.0.0.1:1",
    "",
    `unix:///${"a".repeat(107)}`,
  ])("%s → UPG_INVALID_CONFIG", (text) =>
    expect(failureOf(() => parseAbciAddress(text))).toMatchObject({ code: "UPG_INVALID_CONFIG" }),
  );
});
