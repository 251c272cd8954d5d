/** Requests to every route of REST, every method of gRPC and of the RPC, filled with what is in a chain and with what is not. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { toHex } from "../../host/base/text/bytes.js";
import type { QueryService } from "../../host/chain/app/query/service.js";
import { type Route, routesOf } from "../../host/serve/api/rest/routes.js";

/** Of a chain that is asked about. */
export interface ChainFacts {
  readonly account: string;
  readonly operator: string;
  readonly last: number;
  /** Two of blocks: one succeeded, one failed. */
  readonly hashes: readonly Uint8Array[];
  /** Signed, and not yet sent. */
  readonly tx: Uint8Array;
}

export interface RestRequest {
  readonly verb: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** Height that is asked for. */
  readonly at?: string;
}

/** Values of a field, the most usual first; a field without is left out. */
function valuesOf(name: string, facts: ChainFacts): readonly string[] {
  const heights = [1, 2, facts.last - 1, facts.last, facts.last + 1, facts.last + 50].map(String);
  const addresses = [facts.account, "cosmos1vx8knpllrj7n963p9ttd80w47kpacrhuts497x", "nope"];
  const known: Readonly<Record<string, readonly string[]>> = {
    address: addresses,
    address_string: addresses,
    delegator_addr: addresses,
    voter: addresses,
    depositor: addresses,
    address_bytes: ["AQID"],
    account_id: ["200", "9999"],
    id: ["200", "9999", "x"],
    validator_addr: [facts.operator, facts.account],
    proposal_id: ["2", "1", "3", "5", "99", "0", "x"],
    params_type: ["voting", "deposit", "tallying", "nope"],
    name: ["v2", "gov", "none", "%2F"],
    module_name: ["bank", "none"],
    denom: ["ustake", "none"],
    interface_name: ["cosmos.base.v1beta1.Msg", "none"],
    hash: [...facts.hashes.map((hash) => toHex(hash).toUpperCase()), "00".repeat(32), "x"],
    height: [...heights, "0", "-1", "x"],
    last_height: [...heights, "x"],
    status: ["BOND_STATUS_BONDED", "nope"],
    proposal_status: ["PROPOSAL_STATUS_PASSED", "nope"],
    query: ["tx.height=2", "message.sender='none'", "nope"],
    events: [`transfer.recipient='${facts.account}'`],
  };
  return known[name] ?? [];
}

/** Each value of each field, with the first values of the others. */
function fillings(names: readonly string[], facts: ChainFacts): ReadonlyMap<string, string>[] {
  const first = new Map(names.map((name) => [name, valuesOf(name, facts)[0] ?? "none"]));
  const others = names.flatMap((name) =>
    valuesOf(name, facts)
      .slice(1)
      .map((value) => new Map([...first, [name, value]])),
  );
  return [first, ...others];
}

const PAGES = [
  "pagination.limit=1",
  "pagination.limit=2&pagination.reverse=true&pagination.count_total=true",
  "pagination.offset=1&pagination.limit=1",
  "pagination.limit=x",
];
const SEARCHES = ["&order_by=ORDER_BY_DESC", "&page=2&limit=2", "&page=900", "&limit=0"];

export function restRequests(services: readonly QueryService[], facts: ChainFacts): RestRequest[] {
  return routesOf(services).flatMap((route) =>
    route.verb === "GET" ? gets(route, facts) : posts(route.template, facts),
  );
}

function gets(route: Route, facts: ChainFacts): RestRequest[] {
  const inPath = route.segments.flatMap((segment) => ("field" in segment ? [segment.field] : []));
  const pathOf = (filled: ReadonlyMap<string, string>) =>
    route.segments.map((segment) => ("field" in segment ? (filled.get(segment.field) ?? "") : segment.word)).join("/");
  const paths = fillings(inPath, facts).map(pathOf);
  const [plain = ""] = paths;
  const { fields } = route.method.descriptor.input;
  const others = fields.filter(({ name }) => !inPath.includes(name));
  const queries = others.flatMap((field) =>
    field.name === "pagination"
      ? PAGES
      : valuesOf(field.name, facts).map((each) => `${field.name}=${encodeURIComponent(each)}`),
  );
  const searches = queries
    .filter((each) => /^(query|events)=/.test(each))
    .flatMap((each) => SEARCHES.map((more) => each + more));
  const heights = ["1", String(facts.last - 1), String(facts.last), String(facts.last + 1), "x"];
  return [
    ...paths.map((path) => ({ verb: "GET" as const, path })),
    ...[...queries, ...searches].map((query) => ({ verb: "GET" as const, path: `${plain}?${query}` })),
    ...(route.method.isOfState ? heights.map((at) => ({ verb: "GET" as const, path: plain, at })) : []),
  ];
}

/** Only what is refused is sent: a transaction that is taken would change the chain. */
function posts(path: string, facts: ChainFacts): RestRequest[] {
  const tx_bytes = Buffer.from(facts.tx).toString("base64");
  const bodies = path.endsWith("/txs")
    ? [{ tx_bytes: "AAAA", mode: "BROADCAST_MODE_SYNC" }, { tx_bytes: "" }]
    : [{ tx_bytes }, { tx_bytes: "AAAA" }, { tx: {} }, {}];
  return ["", "nope", ...bodies.map((body) => JSON.stringify(body))].map((body) => ({ verb: "POST", path, body }));
}

export interface GrpcRequest {
  readonly path: string;
  readonly input: DescMessage;
  readonly json: Readonly<Record<string, unknown>>;
  readonly at?: string;
}

/** A broadcast is of REST's requests. */
const NOT_CALLED = new Set(["BroadcastTx"]);

export function grpcRequests(services: readonly QueryService[], facts: ChainFacts): GrpcRequest[] {
  const methods = services.flatMap((service) => service.methods);
  return methods
    .filter(({ descriptor }) => !NOT_CALLED.has(descriptor.name))
    .flatMap(({ path, descriptor, isOfState }) => {
      const { input } = descriptor;
      const names = input.fields.filter((field) => valuesOf(field.name, facts).length > 0);
      const requests = fillings(
        names.map(({ name }) => name),
        facts,
      ).map((filled) => ({ path, input, json: Object.fromEntries(names.map((field) => jsonOf(field, filled))) }));
      const old = isOfState ? [{ ...(requests[0] ?? { path, input, json: {} }), at: String(facts.last - 1) }] : [];
      return [{ path, input, json: {} }, ...requests, ...old];
    });
}

const jsonOf = (field: DescField, filled: ReadonlyMap<string, string>) =>
  [field.name, field.fieldKind === "list" ? [filled.get(field.name)] : filled.get(field.name)] as const;

/** Methods of the RPC with parameters, as in a URL. */
export function rpcRequests(facts: ChainFacts, heights: readonly number[]): string[] {
  const hashes = facts.hashes.map((hash) => toHex(hash));
  const each = [...heights, facts.last + 10].flatMap((height) =>
    ["block", "block_results", "commit", "header", "validators", "consensus_params"].map(
      (method) => `${method}?height=${height}`,
    ),
  );
  const searches = [
    `"tx.height=2"`,
    `"message.sender='none'"`,
    `"transfer.recipient='${facts.account}'"`,
    `"tx.height>3"`,
  ];
  const store = `abci_query?path="/store/bank/key"&data=0x02`;
  return [
    ...each,
    ...[
      "block",
      "block_results",
      "commit",
      "header",
      "validators",
      "consensus_params",
      "abci_info",
      "num_unconfirmed_txs",
    ],
    ...[...hashes, "00".repeat(32)].flatMap((hash) => [`tx?hash=0x${hash}`, `tx?hash=0x${hash}&prove=true`]),
    ...searches.flatMap((query) => [
      `tx_search?query=${encodeURIComponent(query)}&per_page=3&order_by="asc"`,
      `tx_search?query=${encodeURIComponent(query)}&per_page=2&page=2&order_by="desc"`,
    ]),
    `block_search?query=${encodeURIComponent('"block.height>2"')}&per_page=2&order_by="desc"`,
    `blockchain?minHeight=2&maxHeight=4`,
    ...[store, `${store}&prove=true`, `${store}&height=${facts.last - 1}`, `abci_query?path="/nope"`],
  ];
}
