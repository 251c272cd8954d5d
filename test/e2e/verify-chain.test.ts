/** `chaind verify-chain` against a node that has gone through an upgrade, and against servers that lie about it. */
import { copyFileSync, existsSync, linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromHex } from "../../host/base/text/bytes.js";
import { judged, provenFrom } from "../../host/cli/client/verify/proven.js";
import { RpcClient } from "../../host/node/remote/client.js";
import { LIES, type Lie, type Loose, withLies } from "../lying-proxy.js";
import { DIST, type Running, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";

const FREE = ["--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0"];
const PERIOD = ["--trusting-period", "100000h"];
const LONG = 100_000n * 3_600_000_000_000n;

const line = new CommandLine();
const home = new TestHome();
let node: Running;
let rpc = "";
let hash = "";
let out = "";

const statusOf = async () => ((await (await fetch(`${rpc}/status`)).json()) as Loose).result.sync_info;
const trust = () => ["--trust-height", "2", "--trust-hash", hash, ...PERIOD];
const flags = () => ({ trustHeight: 2n, trustHash: fromHex(hash.toLowerCase()), trustingPeriod: LONG });

beforeAll(async () => {
  home.schedule({ name: "v2", height: 4n }, 3n);
  node = home.startSlowly(...FREE);
  await node.says("servers open");
  rpc = (JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string }).rpc.replace("tcp:", "http:");
  while (Number((await statusOf()).latest_block_height) < 8);
  const commit = (await (await fetch(`${rpc}/commit?height=2`)).json()) as Loose;
  hash = commit.result.signed_header.commit.block_id.hash;
  out = join(home.path, "evidence.json");
});
afterAll(async () => {
  node.child.kill("SIGTERM");
  await node.end;
});
afterEach(() => void vi.useRealTimers());

/** The code that it is refused with; what was claimed where it is not. */
async function refusal(work: Promise<{ readonly claims: { readonly claims: readonly object[] } }>): Promise<unknown> {
  try {
    return (await work).claims.claims;
  } catch (error) {
    return isUpgradeError(error) ? `${error.code} ${error.kind.exit}` : error;
  }
}

const ask = { height: undefined, plan: undefined };
const asked = (url: string) => provenFrom(new RpcClient(url), flags(), ask);

describe("verify-chain", () => {
  test("a trusted block → the upgrade, versions before and after, no plan: proven; kept evidence says the same without the node", async () => {
    const args = ["verify-chain", ...trust()];
    const found = (await line.json(...args, "--node", rpc, "--out", out)) as Loose;
    const words = found.claims.map(({ id, state }: Loose) => `${id} ${state}`);
    expect(words).toEqual([
      ...["header proven", "no-plan proven", "done proven", "versions proven", "receipt proven"],
      ...["plan-before proven", "versions-before proven", "status unproven"],
    ]);
    expect(found).toMatchObject({ trusted_block: { height: "2", hash, from: "yours" } });
    expect(found.claims.find(({ id }: Loose) => id === "done").value).toEqual({ name: "v2", height: "4" });
    expect(found.claims.find(({ id }: Loose) => id === "versions").value).toMatchObject({ auth: "2", bank: "2" });
    expect(found.claims.find(({ id }: Loose) => id === "receipt").value).toMatchObject({ plan: "v2", height: "4" });
    const again = (await line.json(...args, "--file", out)) as Loose;
    expect(again.claims).toEqual(found.claims);
    const text = await line.text(...args, "--file", out);
    expect(text).toContain('PROVEN       Upgrade "v2" was applied in block 4.');
    expect(text).toContain("rests on block 2 with hash");
    expect(text).toContain("UNPROVEN");
  });

  test("a file in which anything is changed → exit 40 and a code, nothing printed", async () => {
    const text = readFileSync(out, "utf8");
    const document = JSON.parse(text) as Loose;
    const changes: readonly ((evidence: Loose) => void)[] = [
      (evidence) => evidence.ranges[1].records.splice(1, 2),
      (evidence) => {
        evidence.light_blocks.at(-1).signed_header.header.app_hash = "CD".repeat(32);
      },
      (evidence) => {
        evidence.records[0].value = "CgJ2OQ==";
      },
      (evidence) => evidence.light_blocks.pop(),
      (evidence) => {
        evidence.height = "5";
      },
    ];
    const root = { chainId: document.chain_id, height: 2n, hash: flags().trustHash, from: "yours" } as const;
    for (const change of changes) {
      const changed = structuredClone(document);
      change(changed);
      expect(await refusal(judged(changed, root, flags()))).toMatch(/^UPG_PROOF_[A-Z]+ 40$/);
    }
    const file = join(home.path, "changed.json");
    writeFileSync(file, text.replace('"chain_id":"', '"chain_id":"x'));
    const { exit, stdout, stderr } = await line.run(["verify-chain", ...trust(), "--file", file]);
    expect([exit, stdout]).toEqual([40, ""]);
    expect(stderr).toMatch(/\[UPG_PROOF_[A-Z]+\]/);
  });

  test("another hash, a block that is too old, a header from the future → UPG_PROOF_TRUST, UPG_PROOF_TRUST, UPG_PROOF_HEADER", async () => {
    const client = new RpcClient(rpc);
    const other = { ...flags(), trustHash: flags().trustHash.map((byte) => byte ^ 1) };
    expect(await refusal(provenFrom(client, other, ask))).toBe("UPG_PROOF_TRUST 40");
    expect(await refusal(provenFrom(client, { ...flags(), trustingPeriod: 1_000_000_000n }, ask))).toBe(
      "UPG_PROOF_TRUST 40",
    );
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2020-01-01T00:00:00Z") });
    expect(await refusal(asked(rpc))).toBe("UPG_PROOF_HEADER 40");
  });

  for (const { name, lie, codes } of LIES) {
    test(`the server sends ${name} → refused`, () =>
      withLies(rpc, lie, async (url) => {
        expect(codes.map((code) => `${code} 40`)).toContain(await refusal(asked(url)));
      }));
  }

  test("a server that holds each answer back, beyond --total-timeout → UPG_REMOTE_UNAVAILABLE, exit 1", async () => {
    const slow: Lie = (_method, result) => new Promise((resolve) => setTimeout(() => resolve(result), 400));
    await withLies(rpc, slow, async (url) => {
      const args = ["verify-chain", ...trust(), "--node", url, "--total-timeout", "1s"];
      const { exit, stdout, stderr } = await line.run(args);
      expect([exit, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/stopped after \d+ requests, before all evidence was there.*\[UPG_REMOTE_UNAVAILABLE\]/s);
    });
  });

  test("--chain-id of another chain → UPG_INVALID_ARGUMENT, exit 2", async () => {
    const { exit, stdout, stderr } = await line.run([
      "verify-chain",
      ...trust(),
      "--node",
      rpc,
      "--chain-id",
      "other-1",
    ]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/--chain-id is other-1, and the evidence is of /);
  });

  test("a server that lies, on the command line → exit 40, no evidence is written; a receipt neither", async () => {
    const lie: Lie = (method, result) => {
      if (method === "commit") result.signed_header.commit = null;
    };
    await withLies(rpc, lie, async (url) => {
      const file = join(home.path, "lies.json");
      const { exit, stdout } = await line.run(["verify-chain", ...trust(), "--node", url, "--out", file]);
      expect([exit, stdout, existsSync(file)]).toEqual([40, "", false]);
      const receipt = await line.run(["query", "upgrade", "receipt", "v2", "--node", url]);
      expect([receipt.exit, receipt.stdout]).toEqual([40, ""]);
    });
  });

  test("a receipt that the server hides → exit 40; one that is absent → proven, exit 3; without a trusted block the words say whose word it is", async () => {
    const hidden: Lie = (method, result, params) => {
      if (method === "abci_query" && params.data?.startsWith("04")) result.response.value = null;
    };
    const asked = (url: string, name: string, ...more: string[]) =>
      line.run(["query", "upgrade", "receipt", name, "--node", url, ...more]);
    await withLies(rpc, hidden, async (url) => {
      const { exit, stdout, stderr } = await asked(url, "v2", ...trust());
      expect([exit, stdout]).toEqual([40, ""]);
      expect(stderr).toMatch(/\[UPG_PROOF_[A-Z_]+\]/);
      const alone = await asked(url, "v2");
      expect([alone.exit, alone.stderr]).toEqual([
        3,
        expect.stringContaining("rests on the server that was asked alone"),
      ]);
    });
    const absent = await asked(rpc, "v9", ...trust());
    expect([absent.exit, absent.stderr]).toEqual([3, expect.stringContaining("proven from your trusted block")]);
  });

  test("no trusted block, none that can be, a height with a file, a file that is read to write to → exit 2; no such file → 30", async () => {
    const refused = [
      ["--node", rpc],
      ["--trust-height", "0", "--trust-hash", hash],
      ["--trust-height", "2", "--trust-hash", "ab"],
      [...trust(), "--file", out, "--height", "4"],
      [...trust(), "--file", out, "--out", out],
    ];
    const ends = await Promise.all(refused.map((args) => line.run(["verify-chain", ...args])));
    expect(ends.map(({ exit, stdout }) => [exit, stdout])).toEqual(refused.map(() => [2, ""]));
    expect((await line.run(["verify-chain", ...trust(), "--file", join(home.path, "none.json")])).exit).toBe(30);
  });

  test("--re-execute with the node's witness → the chain's own app hash, also from the kept evidence; another witness → 40, another handler → 21", async () => {
    const witness = join(home.path, "v2.witness");
    await line.json("upgrade", "witness", "v2", "--home", home.path, "--out", witness);
    const handler = join(DIST, "handlers/split-balances.wasm");
    const file = join(home.path, "upgrade.json");
    const again = ["verify-chain", ...trust(), "--re-execute", "--witness", witness, "--handler", handler];
    const found = (await line.json(...again, "--node", rpc, "--out", file)) as Loose;
    expect(found).toMatchObject({ state_height: "4", re_execution: { plan: "v2", app_hash: found.header.app_hash } });
    expect((await line.json(...again, "--file", file)) as Loose).toMatchObject({ re_execution: found.re_execution });
    const cut = join(home.path, "cut.bin");
    writeFileSync(cut, readFileSync(witness).subarray(0, -40));
    const refused = async (...args: readonly string[]) => (await line.run([...again, "--file", file, ...args])).exit;
    expect(await refused("--witness", cut)).toBe(40);
    const other = join(home.path, "other.wasm");
    writeFileSync(other, Uint8Array.of(...readFileSync(handler), 0, 2, 1, 120));
    const { exit, stderr } = await line.run([...again, "--file", file, "--handler", other]);
    expect([exit, stderr]).toEqual([21, expect.stringContaining("it was not run")]);
    expect((await line.run(["verify-chain", ...trust(), "--re-execute", "--file", file])).exit).toBe(2);
    expect((await line.run(["verify-chain", ...trust(), "--witness", witness, "--file", file])).exit).toBe(2);
  });

  test("--out that is the witness or the handler, by any of its names → exit 2, both stay", async () => {
    const [witness, handler] = [join(home.path, "in.witness"), join(home.path, "in.wasm")];
    const [soft, hard] = [join(home.path, "soft.json"), join(home.path, "hard.json")];
    copyFileSync(join(home.path, "v2.witness"), witness);
    copyFileSync(join(DIST, "handlers/split-balances.wasm"), handler);
    symlinkSync(witness, soft);
    linkSync(handler, hard);
    const files = ["--witness", witness, "--handler", handler, "--file", join(home.path, "upgrade.json")];
    const before = [readFileSync(witness), readFileSync(handler)];
    for (const out of [witness, handler, `${home.path}/./in.wasm`, soft, hard]) {
      const { exit, stderr } = await line.run(["verify-chain", ...trust(), "--re-execute", ...files, "--out", out]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining("which is read for it")]);
    }
    expect([readFileSync(witness), readFileSync(handler)]).toEqual(before);
  });

  test("the state of a height → what was true then; one that no header proves → exit 2", async () => {
    const early = (await line.json("verify-chain", ...trust(), "--node", rpc, "--height", "3")) as Loose;
    expect(early.claims.find(({ id }: Loose) => id === "plan").words).toMatch(
      /^Upgrade "v2" is scheduled for block 4 in the state after block \d+\.$/,
    );
    expect((await line.run(["verify-chain", ...trust(), "--node", rpc, "--height", "999999"])).exit).toBe(2);
  });
});
