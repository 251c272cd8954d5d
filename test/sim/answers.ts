/** What a node answers to its clients: every query that needs no argument, and searches by every event of its blocks. */

import { create, toBinary } from "@bufbuild/protobuf";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { sha256 } from "../../host/base/native/sha256.js";
import type { QueryMethod } from "../../host/chain/app/query/service.js";
import { parseEventQuery } from "../../host/chain/events/event-query-text.js";
import { NodeService } from "../../host/node/embedded/node-service.js";
import { GenesisFile } from "../../host/node/home/genesis-file.js";
import type { OpenNode } from "../../host/node/open/open-node.js";
import { Query } from "../../host/serve/query/query.js";
import { exampleChain } from "../example-chain.js";

/** More than any of these chains has of one event. */
const WINDOW = { isDescending: false, first: 0, size: 100 } as const;

/** One after the other, as texts. @throws UpgradeError UPG_STORE_* where the database is damaged */
export async function* answersOf({ node, home, genesisDigest }: OpenNode): AsyncGenerator<string> {
  const service = new NodeService(node, {
    nodeId: "ab".repeat(20),
    moniker: "flips",
    genesis: new GenesisFile(home.genesisFile, genesisDigest),
  });
  const query = new Query({
    chain: exampleChain,
    app: node.app,
    node: service,
    sha256,
    bondDenom: "ustake",
    stakingParams: undefined,
    compatCosmos: true,
  });
  for (const { methods } of query.services) {
    for (const method of methods) yield `${method.path} ${await answer(query, method)}`;
  }
  for (const text of eventQueries(service)) {
    const conditions = parseEventQuery(text);
    const txs = await service.searchTxs(conditions, WINDOW);
    const blocks = await service.searchBlocks(conditions, WINDOW);
    const found = txs.hits.map(({ hash, height, index }) => `${Buffer.from(hash).toString("hex")} ${height} ${index}`);
    yield `${text} ${found} of ${txs.total}, blocks ${blocks.hits} of ${blocks.total}`;
  }
}

/** What a method without arguments says is an answer too when it is that one is missing. */
async function answer(query: Query, method: QueryMethod): Promise<string> {
  const { input, output } = method.descriptor;
  try {
    const { message } = await query.call(method, create(input), 0n);
    return Buffer.from(toBinary(output, message)).toString("hex");
  } catch (error) {
    if (!isUpgradeError(error) || error.code.startsWith("UPG_STORE_")) throw error;
    return `${error.code} ${error.message}`;
  }
}

function eventQueries(service: NodeService): Set<string> {
  const queries = new Set<string>();
  const last = service.latest()?.header.height ?? 0n;
  for (let height = service.earliest()?.header.height ?? 1n; height <= last; height++) {
    queries.add(`tx.height=${height}`).add(`block.height=${height}`);
    const { events, txResults } = service.results(height);
    for (const { type, attributes } of [...events, ...txResults.flatMap((each) => each.events)]) {
      for (const { key, value } of attributes) if (!/['\n]/.test(value)) queries.add(`${type}.${key}='${value}'`);
    }
  }
  return queries;
}
