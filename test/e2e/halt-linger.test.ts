/** A node at the height of an upgrade under a supervisor that polls upgrade-info.json: it holds, and serves. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";

vi.setConfig({ testTimeout: 180_000 });

const OLD = ["--app-version", "1"];

describe("chaind start at the height of an upgrade, with --halt-linger", () => {
  test("holds with its files written and its servers open, refuses transactions; SIGTERM → 10 at once", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 6n }, 3n);
    const servers = ["--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0"];
    servers.push("--api.enable=true", "--api.address", "tcp://127.0.0.1:0");
    const node = home.start(...OLD, "--halt-linger", "1h", ...servers);
    await node.says("holding at the height");
    expect(node.stderr).toContain('"code":"UPG_HALT_UPGRADE_NEEDED"');
    expect(JSON.parse(readFileSync(home.data("upgrade-info.json"), "utf8"))).toMatchObject({ name: "v2", height: 6 });
    expect(home.haltRecord?.code).toBe("UPG_HALT_UPGRADE_NEEDED");
    const { rpc, api } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string; api: string };
    const said = await (await fetch(`${api.replace("tcp:", "http:")}/chain/upgrade/v1/status`)).json();
    expect(said).toMatchObject({ phase: "halted", height: "5", plan: { name: "v2", blocks_left: "1" } });
    expect(said).toMatchObject({
      halt: { code: "UPG_HALT_UPGRADE_NEEDED", height: "6", next: expect.stringContaining("`") },
    });
    expect(said).toMatchObject({ halt: { commands: ["chaind start --home <home>"] } });
    expect(JSON.stringify(said)).not.toContain(home.path);
    const line = new CommandLine();
    const status = await line.json("status", "--node", rpc);
    expect(status).toMatchObject({ sync_info: { latest_block_height: "5" } });
    const sent = await fetch(`${rpc.replace("tcp:", "http:")}/broadcast_tx_sync?tx=0x00`);
    expect(await sent.text()).toContain("the node has halted and takes no transactions");
    node.child.kill("SIGTERM");
    expect(await node.end).toMatchObject({ exit: 10 });
    expect(home.last.height).toBe("5");
    expect(existsSync(home.data("addresses.json"))).toBe(false);
  });

  test("the time is over → 10 by itself; a start at the height holds as well; a malformed duration → 2", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 6n }, 3n);
    for (const millis of ["200ms", "201ms"]) {
      const end = await home.start(...OLD, "--halt-linger", millis).end;
      expect(end.exit, end.stderr).toBe(10);
      expect(end.stderr).toContain(`at most 0.${millis.slice(0, 3).replace(/0+$/, "")} s (--halt-linger)`);
    }
    const wrong = await home.start("--halt-linger", "soon").end;
    expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining("expected a duration")]);
    expect((await home.start("--max-blocks", "1", "--halt-linger", "1h").end).exit).toBe(0);
  });
});
