/** CometBFT's log and the statuses of programs, whole and torn. */
import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { askRpc, heightByCommand, heightByRpc, heightIn } from "../../../../host/visor/decide/heights/node-status.js";
import { ownNodeId } from "../../../../host/visor/decide/heights/own-node.js";
import { scan, WalHeight } from "../../../../host/visor/decide/heights/wal.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";
import { HttpServer } from "../download/http-server.js";
import { endHeight, frame, ScriptsHome, walOf } from "../scripts-home.js";

/** Of a home of `cometbft init`, and what its `show-node-id` prints. */
const NODE_KEY = "Pcb1HIdMhXWSkPi/hR1HQ4PUOJpKL55doazoEZ+8v5xBPZU6DjkHFMIRAujE7uJGz/VaDuSK3opXYSt2cI+LHQ==";
const NODE_ID = "eaa946843c25653160a7b377634564398fa189c9";

describe("scan()", () => {
  test("ends of heights between other messages → the last one; torn at any byte → the last whole one", () => {
    const whole = walOf(0n, 1n, 300n);
    expect(scan(whole)).toEqual({ position: whole.length, height: 300n });
    const upTo = [walOf(0n).length, walOf(0n, 1n).length];
    for (let size = 0; size < whole.length; size++) {
      const { height, position } = scan(whole.subarray(0, size));
      const [first = 0, second = 0] = upTo;
      expect(height).toBe(size < first ? undefined : size < second ? 0n : 1n);
      expect(position).toBeLessThanOrEqual(size);
    }
  });

  test("a wrong checksum, a length that none has → what is before it", () => {
    const bad = concatBytes(walOf(5n), frame(endHeight(6n), 7), walOf(7n));
    expect(scan(bad)).toEqual({ position: walOf(5n).length, height: 5n });
    expect(scan(concatBytes(walOf(5n), new Uint8Array(64).fill(255))).height).toBe(5n);
    expect(scan(new Uint8Array(64)).height).toBeUndefined();
  });

  test("any bytes → no exception, and never more than was given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(scan(concatBytes(walOf(2n), bytes)).position).toBeLessThanOrEqual(walOf(2n).length + bytes.length);
      }),
    );
  });
});

describe("WalHeight", () => {
  test("the log grows, is rotated, is made again after a rollback → the last end of a height each time", () => {
    const home = new ScriptsHome();
    const wal = new WalHeight(realMachine.files, home.file("data", "cs.wal"));
    expect(wal.read()).toBeUndefined();
    const head = home.write("data/cs.wal/wal", walOf(0n, 1n));
    expect(wal.read()).toBe(1n);
    appendFileSync(head, walOf(2n).subarray(0, 30));
    expect(wal.read()).toBe(1n);
    appendFileSync(head, walOf(2n).subarray(30));
    expect(wal.read()).toBe(2n);
    renameSync(head, `${head}.000`);
    writeFileSync(head, "");
    expect(wal.read()).toBe(2n);
    expect(new WalHeight(realMachine.files, home.file("data", "cs.wal")).read()).toBe(2n);
    writeFileSync(head, walOf(1n));
    expect(wal.read()).toBe(1n);
  });

  test("more than one read takes → all of it", () => {
    const home = new ScriptsHome();
    const large = frame(new Uint8Array(1_000_000).fill(3));
    home.write("data/cs.wal/wal", concatBytes(walOf(1n), large, large, large, walOf(2n), large, walOf(3n)));
    expect(new WalHeight(realMachine.files, home.file("data", "cs.wal")).read()).toBe(3n);
  });
});

describe("heightIn()", () => {
  test.each([
    [{ sync_info: { latest_block_height: "49" } }, 49n],
    [{ SyncInfo: { latest_block_height: "49" } }, 49n],
    [{ result: { sync_info: { latest_block_height: "49" } } }, 49n],
    [{ sync_info: { latest_block_height: 49 } }, 49n],
    [{ sync_info: { latest_block_height: "-49" } }, undefined],
    [{ sync_info: {} }, undefined],
    ["text", undefined],
    [null, undefined],
  ])("%j → its height", (json, height) => {
    expect(heightIn(json)).toBe(height);
  });
});

describe("heightByCommand(), heightByRpc()", () => {
  const { signal } = new AbortController();
  const ask = (script: string) => {
    const home = new ScriptsHome();
    const file = home.program("genesis", script);
    const env = { PATH: process.env["PATH"] };
    return heightByCommand(realMachine, { file, home: home.path, cwd: home.path, env, signal });
  };
  const json = '{"SyncInfo":{"latest_block_height":"7"}}';

  test("on stdout, on stderr, after lines of a log → the height; the home is named", async () => {
    expect(await ask(`test "$1 $2" = "status --home" && echo '${json}'`)).toBe(7n);
    expect(await ask(`echo '${json}' >&2`)).toBe(7n);
    expect(await ask(`echo '{"level":"info"}'; echo connecting; echo '${json}'`)).toBe(7n);
  });

  test("hundreds of thousands of empty lines before it → read at once", async () => {
    expect(await ask(`head -c 400000 /dev/zero | tr '\\0' '\\n'; echo '${json}'`)).toBe(7n);
  });

  test("it fails, prints something else, is missing → undefined", async () => {
    expect(await ask(`echo '${json}'; exit 1`)).toBeUndefined();
    expect(await ask("echo hello")).toBeUndefined();
    const nothing = { file: "/nowhere/at-all", home: "/", cwd: "/", env: {}, signal };
    expect(await heightByCommand(realMachine, nothing)).toBeUndefined();
  });

  test("an RPC that answers, refuses, is not set → the height, undefined, undefined", async () => {
    const urls: string[] = [];
    const answer = async (url: string) => {
      urls.push(url);
      return { result: { sync_info: { latest_block_height: "12" } } };
    };
    const of = (address: string, ownId?: string) => ({ address, ownId, onOther: (url: string) => void urls.push(url) });
    expect(await heightByRpc(of("tcp://127.0.0.1:26657"), answer)).toBe(12n);
    expect(urls).toEqual(["http://127.0.0.1:26657/status"]);
    const id = "aB".repeat(20);
    const ofNode = async () => ({
      result: { node_info: { id }, sync_info: { latest_block_height: "5000" } },
    });
    expect(await heightByRpc(of("http://x", id.toLowerCase()), ofNode)).toBe(5_000n);
    expect(await heightByRpc(of("http://x", "cd".repeat(20)), ofNode)).toBeUndefined();
    expect(urls.at(-1)).toBe("http://x/status");
    expect(await heightByRpc(of("http://x", "cd".repeat(20)), answer)).toBe(12n);
    expect(await heightByRpc(of("http://x"), () => Promise.reject(new Error("refused")))).toBeUndefined();
    expect(await heightByRpc(of(""), answer)).toBeUndefined();
  });
});

describe("ownNodeId()", () => {
  test("a home of CometBFT → what its node says of itself; no key, a torn one → undefined", () => {
    const home = new ScriptsHome();
    expect(ownNodeId(realMachine.files, home.path)).toBeUndefined();
    const value = NODE_KEY;
    home.write("config/node_key.json", JSON.stringify({ priv_key: { type: "tendermint/PrivKeyEd25519", value } }));
    expect(ownNodeId(realMachine.files, home.path)).toBe(NODE_ID);
    home.write("config/node_key.json", "{");
    expect(ownNodeId(realMachine.files, home.path)).toBeUndefined();
  });
});

describe("askRpc()", () => {
  test("a body without end → refused after its bound, and the connection is closed", async () => {
    const server = await HttpServer.start();
    const closed = new Promise<void>((resolve) => {
      server.on("/endless", (_, response) => {
        response.on("close", resolve);
        const more = () => {
          while (!response.destroyed && response.write(" ".repeat(65_536)));
        };
        response.on("drain", more);
        more();
      });
    });
    await expect(askRpc(server.url("/endless"), AbortSignal.timeout(20_000))).rejects.toThrow("sends more than");
    await closed;
    await server.close();
  });
});
