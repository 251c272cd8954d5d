/** Where `chaind upgrade rehearse` keeps its report, and who reads it there. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Report } from "../../../../host/cli/rehearsal/report/report.js";
import { Home } from "../../../../host/node/home/home.js";
import { encodeAddress } from "../../../addresses.js";
import { TestHome } from "../../../e2e/chaind.js";
import { chaindHere } from "../../../in-process.js";

// `rehearse` gives way to every other process of the machine: beside other tests it can wait for minutes.
vi.setConfig({ testTimeout: 300_000 });

const scheduled = (height: bigint, upTo: bigint) => new TestHome().schedule({ name: "v2", height }, upTo);

describe("chaind upgrade rehearse keeps its report", () => {
  const chaind = (...args: readonly string[]) => chaindHere(args);
  const kept = (path: string) => new Home(path).rehearsalFile("v2");

  const rehearseAt = (path: string, ...args: readonly string[]) =>
    chaind("upgrade", "rehearse", "--home", path, ...args);
  const reportOf = (path: string) => JSON.parse(readFileSync(kept(path), "utf8")) as Report;

  test("--no-save, and a time → not kept", async () => {
    const { path } = scheduled(5n, 4n);
    for (const args of [["--no-save"], ["--time", "2027-01-01T00:00:00Z"]]) {
      const { status, stdout } = await rehearseAt(path, ...args);
      expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, expect.stringMatching(/^not kept/)]);
      expect(existsSync(kept(path))).toBe(false);
    }
  });

  test("in the home → preflight has its row, attest its statement", async () => {
    const { path } = scheduled(5n, 4n);
    const { status, stdout, stderr } = await rehearseAt(path);
    expect([status, stdout], stderr).toEqual([0, expect.stringContaining(`kept: ${kept(path)}, for`)]);
    const { applied, handler, ...report } = reportOf(path);
    expect(report).toMatchObject({ exit: 0, plan: { name: "v2" } });
    expect(applied?.app_hash).toMatch(/^[0-9A-F]{64}$/);
    const preflight = await chaind("upgrade", "preflight", "--home", path);
    expect(preflight.stdout.replace(/\n {2,}/g, " ")).toContain(
      `rehearsal    ok       would apply on the state of block 4, app hash ${applied?.app_hash}`,
    );
    const signer = ["--from", encodeAddress(new Uint8Array(20).fill(9)), "--chain-id", "scenario-1"];
    const attest = await chaind(
      "tx",
      "upgrade",
      "attest",
      "v2",
      "--home",
      path,
      ...signer,
      "--generate-only",
      "--offline",
    );
    const [message] = (JSON.parse(attest.stdout) as { body: { messages: unknown[] } }).body.messages;
    expect(message, attest.stderr).toMatchObject({
      app_hash: Buffer.from(applied?.app_hash ?? "", "hex").toString("base64"),
      artifact_sha256: Buffer.from(handler?.sha256 ?? "", "hex").toString("base64"),
      rehearsed_height: "4",
    });
    expect(attest.stderr).toContain(
      `attests ${kept(path)}: sha256 ${handler?.sha256}, app hash ${applied?.app_hash} on block 4`,
    );
  });

  test("one that failed, after one that did not → kept in its place", async () => {
    const { path } = scheduled(5n, 4n);
    expect((await rehearseAt(path)).status).toBe(0);
    expect((await rehearseAt(path, "--handlers", join(path, "none"))).status).toBe(10);
    expect(reportOf(path)).toMatchObject({ exit: 10 });
  });

  test("a file in the way of its folder → says so, and ends as the rehearsal does", async () => {
    const { path } = scheduled(5n, 4n);
    writeFileSync(dirname(kept(path)), "");
    const { status, stdout } = await rehearseAt(path);
    expect([status, stdout]).toEqual([0, expect.stringContaining("not kept in the home: ")]);
  });
});
