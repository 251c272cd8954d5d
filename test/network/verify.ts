/** Every node's RPC is verified from one block, while a plan waits and after the upgrade; what is changed on the way is refused. */
import { fromHex } from "../../host/bytes.js";
import { provenFrom } from "../../host/client/verify/proven.js";
import { RpcClient } from "../../host/comet-rpc/client.js";
import { isUpgradeError } from "../../host/errors.js";
import type { Claim } from "../../host/verify/types.js";
import { LIES, type Loose, withLies } from "../lying-proxy.js";
import type { Network } from "./network.js";
import type { NetNode } from "./node.js";
import { expectSame, HEIGHTS_AFTER, OLD, type Scene } from "./scenes.js";

const PLAN = "v2";
const PERIOD = 10n ** 15n;

const urlOf = ({ own }: NetNode) => `http://127.0.0.1:${own.rpc}`;

async function trustedBlock(node: NetNode) {
  const { signed_header } = (await node.rpc.call("commit", { height: "2" })) as Loose;
  const trustHash = fromHex(String(signed_header.commit.block_id.hash).toLowerCase());
  return { trustHeight: 2n, trustHash, trustingPeriod: PERIOD };
}

type Trust = Awaited<ReturnType<typeof trustedBlock>>;

async function claimsOf(node: NetNode, trust: Trust, height: number): Promise<readonly Claim[]> {
  const { claims } = await provenFrom(new RpcClient(urlOf(node)), trust, { height: BigInt(height), plan: undefined });
  return claims.claims.filter(({ state }) => state !== "unproven");
}

/** The same claims, all proven, from each node. @returns their words */
async function sameClaims(network: Network, trust: Trust, height: number): Promise<readonly string[]> {
  await network.untilHeight(height + 1);
  const all = await Promise.all(
    network.nodes.map(async (node) =>
      (await claimsOf(node, trust, height)).map(({ state, words }) => `${state} ${words}`),
    ),
  );
  const [first = []] = all;
  for (const each of all) expectSame(`claims about block ${height}`, each, first);
  return first;
}

async function refuseLies(node: NetNode, trust: Trust, height: number): Promise<void> {
  for (const { name, lie, codes } of LIES) {
    const refused = await withLies(urlOf(node), lie, (url) =>
      provenFrom(new RpcClient(url), trust, { height: BigInt(height), plan: undefined }).then(
        () => "believed",
        (error: unknown) => (isUpgradeError(error) ? error.code : String(error)),
      ),
    );
    if (!codes.includes(refused))
      throw new Error(`the server sends ${name}: ${refused}, expected ${codes.join(" or ")}`);
  }
}

export const verify: Scene = {
  name: "verify",
  what: "four RPCs verified from block 2, as a plan waits and after the upgrade: the same claims; what a proxy changes is refused",
  async run(network) {
    network.start(OLD);
    await network.untilHeight(3);
    const [first] = network.nodes;
    if (!first) throw new Error("no node");
    const trust = await trustedBlock(first);
    const height = await network.schedule(PLAN, "");
    expectSame("exit statuses at the height", await network.ends(), [10, 10, 10, 10]);
    network.start();
    await network.untilHeight(height + 3);
    const waiting = await sameClaims(network, trust, height - 1);
    const plan = `proven Upgrade "${PLAN}" is scheduled for block ${height}.`;
    if (!waiting.includes(plan)) throw new Error(`no plan before the upgrade: ${waiting.join("; ")}`);
    const after = await sameClaims(network, trust, height + 1);
    for (const wanted of [
      `proven Upgrade "${PLAN}" was applied in block ${height}.`,
      `proven No upgrade is scheduled after block ${height + 1}.`,
    ]) {
      if (!after.includes(wanted)) throw new Error(`${wanted}: only ${after.join("; ")}`);
    }
    await refuseLies(first, trust, height + 1);
    await network.untilHeight(height + HEIGHTS_AFTER);
    const compared = await network.compare();
    return { ...compared, counts: `${after.length} claims of 4 nodes, ${LIES.length} lies refused` };
  },
};
