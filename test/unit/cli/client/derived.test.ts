/** Commands made from descriptors, beside those written by hand; pages by their flags; the same over RPC and gRPC. */

import { describe, expect, test } from "vitest";
import { notesChain } from "../../../../examples/notes-chain/chain.js";
import { kebab } from "../../../../host/base/text/text.js";
import { checkedAddress } from "../../../../host/chain/values/address.js";
import { BY_HAND } from "../../../../host/cli/client/derived/query.js";
import { makeProgram } from "../../../../host/cli/program/program.js";
import { exampleChain } from "../../../example-chain.js";
import { contextOf, exampleContext } from "../../../example-context.js";
import { SIGNER, useTestNode } from "../../serve/api/test-node.js";
import { runHere as run, runIn } from "../run-here.js";

async function namesUnder(top: string, module: string): Promise<string[]> {
  const program = await makeProgram(exampleContext, [top], "0.0.0");
  const group = program.commands.find((each) => each.name() === top)?.commands.find((each) => each.name() === module);
  return (group?.commands ?? []).flatMap((each) => [each.name(), ...each.aliases()]);
}

describe("derived commands", () => {
  test("every query of every module → a command of its group, each name once", async () => {
    for (const { name, queries = [] } of exampleChain.modules) {
      const names = await namesUnder("query", name);
      expect(names, name).toHaveLength(new Set(names).size);
      for (const { descriptor } of queries)
        for (const method of descriptor.methods)
          expect(names.includes(kebab(method.name)), method.name).toBe(!BY_HAND[name]?.includes(method.name));
    }
  });

  test("every message that accounts sign → a command of its module's group; none for what only proposals run", async () => {
    for (const { name, messages = [] } of exampleChain.modules) {
      const names = await namesUnder("tx", name);
      expect(names, name).toHaveLength(new Set(names).size);
      for (const { schema, isForGovernance } of messages)
        if (!isForGovernance) expect(names, name).toContain(kebab(schema.name.slice("Msg".length)));
    }
    expect(await namesUnder("tx", "gov")).not.toContain("exec-legacy-content");
  });

  test("tx notes add-note --generate-only of another chain → the message with its signer from --from", async () => {
    const author = notesChain.addresses.encode(checkedAddress(SIGNER));
    const words = ["tx", "notes", "add-note", "--text", "hi", "--from", author, "--generate-only"];
    expect(await runIn(contextOf(notesChain), ...words)).toMatchObject({
      body: { messages: [{ "@type": "/mychain.notes.v1.MsgAddNote", text: "hi", author }] },
    });
  });
});

test("queries by hand and from descriptors, page by page, over RPC and over gRPC → the same answers and refusals", () =>
  useTestNode(async ({ rpc, grpc, bugs }) => {
    const ways = [
      ["--node", rpc],
      ["--grpc-addr", grpc, "--grpc-insecure", "--node", "tcp://127.0.0.1:1"],
    ];
    const both = async (...words: string[]) => {
      const [over, other] = [await run(...words, ...(ways[0] ?? [])), await run(...words, ...(ways[1] ?? []))];
      expect(other, words.join(" ")).toEqual(over);
      return over as { pagination?: { next_key: string | null; total: string } } & Record<
        string,
        { address: string }[]
      >;
    };
    const owners = ["query", "bank", "denom-owners", "ustake"];
    const all = await both(...owners, "--page-count-total");
    const count = all["denom_owners"]?.length ?? 0;
    expect([count > 2, all.pagination?.total]).toEqual([true, String(count)]);
    const first = await both(...owners, "--page-limit", "1");
    expect(first["denom_owners"]).toEqual(all["denom_owners"]?.slice(0, 1));
    const second = await both(...owners, "--page-limit", "1", "--page-key", first.pagination?.next_key ?? "");
    expect(second["denom_owners"]).toEqual(all["denom_owners"]?.slice(1, 2));
    expect((await both(...owners, "--page-offset", "1", "--limit", "1"))["denom_owners"]).toEqual(
      second["denom_owners"],
    );
    expect((await both(...owners, "--page-reverse"))["denom_owners"]).toEqual(all["denom_owners"]?.toReversed());
    expect((await both("query", "bank", "balances", SIGNER))["balances"]).toHaveLength(1);
    for (const [status, found] of [
      ["voting-period", 1],
      ["passed", 0],
    ] as const)
      expect((await both("query", "gov", "proposals", "--proposal-status", status))["proposals"]).toHaveLength(found);
    expect(await both("query", "auth", "bech32-prefix")).toEqual({ bech32_prefix: "cosmos" });
    expect(await both("query", "upgrade", "plan", "--height", "1")).toEqual({ plan: null });
    for (const way of ways) {
      await expect(run("query", "gov", "proposal", "99", ...way)).rejects.toMatchObject({
        code: "UPG_NOT_FOUND_PROPOSAL",
        message: expect.stringContaining("proposal 99 doesn't exist"),
      });
      await expect(run("query", "bank", "total", "--height", "9999", ...way)).rejects.toMatchObject({
        code: expect.stringMatching(/^UPG_(NOT_FOUND_VERSION|INVALID_HEIGHT)$/),
      });
    }
    expect(bugs).toEqual([]);
  }));

test("gRPC where no gRPC server is → UPG_REMOTE_UNAVAILABLE or UPG_REMOTE_REFUSED, at once", () =>
  useTestNode(async ({ rpc, grpc }) => {
    const ask = (...flags: string[]) => run("query", "bank", "total", ...flags);
    const unavailable = { code: "UPG_REMOTE_UNAVAILABLE" };
    await expect(ask("--grpc-addr", "127.0.0.1:1", "--grpc-insecure")).rejects.toMatchObject(unavailable);
    await expect(ask("--grpc-addr", rpc.replace("http://", ""), "--grpc-insecure")).rejects.toMatchObject(unavailable);
    await expect(ask("--grpc-addr", grpc)).rejects.toMatchObject(unavailable);
    await expect(ask("--grpc-addr", "a b")).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  }));
