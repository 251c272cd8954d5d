/**
 * What the chain returns to its users after the upgrade: one query a module, by the service of REST, gRPC and
 * RPC. State that exists and that nobody can ask for any more is lost to them all the same.
 */

import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { isUpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import type { Chain } from "../../chain/app/chain.js";
import { AUTH_STORE, accounts } from "../../chain/modules/auth/accounts.js";
import { bankOf } from "../../chain/modules/bank/bank.js";
import { GOV_STORE, proposals } from "../../chain/modules/gov/records.js";
import { STAKING_STORE, validators } from "../../chain/modules/staking/records.js";
import { addCoins, type Coin } from "../../chain/values/coins.js";
import { NodeService } from "../../node/embedded/node-service.js";
import { GenesisFile } from "../../node/home/genesis-file.js";
import type { OpenNode } from "../../node/open/open-node.js";
import { Query } from "../../serve/query/query.js";
import { amounts } from "./count.js";

interface Check {
  readonly name: string;
  readonly ok: boolean;
}

/** More than any of these chains has of denominations. */
const DENOMS_MAX = 10_000n;

interface Page {
  readonly pagination?: { readonly total: bigint };
}

/** Responses compared with what a walk over the state finds. */
export async function askModules(chain: Chain, open: OpenNode): Promise<Check[]> {
  const { app } = open.node;
  const view = app.multiStore.at(app.lastCommitID.version);
  const ask = asker(chain, open);
  const total = async (path: string) => {
    const page = (await ask(path, { pagination: { limit: 1n, countTotal: true } })) as Page | undefined;
    return page?.pagination?.total;
  };
  const count = (items: Iterable<unknown>) => BigInt([...items].length);
  const supply = (await ask("/cosmos.bank.v1beta1.Query/TotalSupply", { pagination: { limit: DENOMS_MAX } })) as
    | { readonly supply: readonly { readonly denom: string; readonly amount: string }[] }
    | undefined;
  const versions = (await ask("/chain.upgrade.v1beta1.Query/ModuleVersions", {})) as
    | { readonly moduleVersions: readonly { readonly name: string; readonly version: bigint }[] }
    | undefined;
  let held: Coin[] = [];
  for (const [, coins] of bankOf(app.version).allBalances(view)) held = addCoins(held, coins);
  const modules = [...app.version.modules].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    {
      name: "query auth",
      ok: (await total("/cosmos.auth.v1beta1.Query/Accounts")) === count(accounts(view.store(AUTH_STORE))),
    },
    {
      name: "query bank",
      ok: isSame(
        supply && Object.fromEntries(supply.supply.map(({ denom, amount }) => [denom, amount])),
        amounts(held),
      ),
    },
    {
      name: "query gov",
      ok: (await total("/cosmos.gov.v1.Query/Proposals")) === count(proposals(view.store(GOV_STORE))),
    },
    {
      name: "query staking",
      ok: (await total("/cosmos.staking.v1beta1.Query/Validators")) === count(validators(view.store(STAKING_STORE))),
    },
    {
      name: "query upgrade",
      ok: isSame(
        versions?.moduleVersions.map(({ name, version }) => [name, String(version)]),
        modules.map(([name, version]) => [name, String(version)]),
      ),
    },
  ];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Undefined: the chain has no answer any more. */
function asker(
  chain: Chain,
  { node, home, genesisDigest }: OpenNode,
): (path: string, fields: Record<string, unknown>) => Promise<Message | undefined> {
  const service = new NodeService(node, {
    nodeId: "",
    moniker: "",
    genesis: new GenesisFile(home.genesisFile, genesisDigest),
  });
  const query = new Query({
    chain,
    app: node.app,
    node: service,
    sha256,
    bondDenom: "",
    stakingParams: undefined,
    compatCosmos: true,
  });
  return async (path, fields) => {
    const method = query.method(path);
    if (!method) return undefined;
    try {
      return (await query.call(method, create(method.descriptor.input as DescMessage, fields), 0n)).message;
    } catch (error) {
      if (isUpgradeError(error)) return undefined;
      throw error;
    }
  };
}
