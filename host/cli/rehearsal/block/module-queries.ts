/**
 * What the modules' own queries return before and after the block: each method that needs nothing to be asked, and a few
 * about what those have named. One that fails after and did not before, or whose response has lost what it had, is a finding.
 */
import { type DescMessage, fromJson, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { isUpgradeError, messageOf } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import type { Height, Timestamp } from "../../../base/types/types.js";
import type { App } from "../../../chain/app/app.js";
import type { GenesisFacts } from "../../../chain/app/genesis/genesis-facts.js";
import type { QueryMethod } from "../../../chain/app/query/service.js";
import { Query } from "../../../serve/query/query.js";
import { queryNode } from "./query-node.js";

export interface QueryResult {
  readonly method: string;
  readonly request: JsonValue;
  readonly before: QueryAnswer;
  readonly after: QueryAnswer;
  /** Something that it had before and lacks now, in words; undefined: nothing. */
  readonly lost: string | undefined;
}

export type QueryAnswer =
  | { readonly ok: true; readonly response: JsonValue }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface AskedFacts {
  readonly app: App;
  readonly genesis: GenesisFacts;
  /** Of the block. */
  readonly height: Height;
  readonly time: Timestamp;
}

/** Items of a list that are compared; the total is asked for too where it costs no walk. */
const ITEMS = "3";
/** The response is about the process, or is the whole of a store under another name. */
const PASSED_OVER = /\/(UpgradeProgress|Readiness)$/;

/** The plan that is applied is gone on purpose. */
const APPLIED = "/CurrentPlan";

/** Never throws for what a query ends with: that is in its result. */
export async function askQueries(facts: AskedFacts): Promise<QueryResult[]> {
  const asker = new Asker(facts);
  const results: QueryResult[] = [];
  for (const method of asker.methods) {
    const result = await asker.ask(method, {});
    // A method that needs an argument refuses both times in the same way.
    if (result.before.ok || result.after.ok) results.push(result);
  }
  for (const { path, request } of samples(results)) {
    const method = asker.methods.find((each) => each.path === path);
    if (method) results.push(await asker.ask(method, request));
  }
  return results;
}

type StateMethod = QueryMethod & { readonly isOfState: true };

class Asker {
  readonly methods: readonly StateMethod[];
  readonly #query: Query;

  constructor(private readonly facts: AskedFacts) {
    const { app, genesis, height, time } = facts;
    const { chainId, bondDenom, stakingParams } = genesis;
    const node = queryNode({ chainId, consensusParams: app.consensusParams, lastHeight: height, time });
    const chain = app.chain;
    const options = { chain, app, node, sha256, bondDenom, stakingParams: stakingParams.value, compatCosmos: false };
    this.#query = new Query(options);
    this.methods = chain.services
      .flatMap(({ methods }) => methods)
      .filter((method): method is StateMethod => method.isOfState && !PASSED_OVER.test(method.path))
      .filter((method) => this.#query.method(method.path) !== undefined);
  }

  async ask(method: StateMethod, given: JsonObject): Promise<QueryResult> {
    const request = this.#request(method, given);
    const before = await this.#answer(method, request, this.facts.height - 1n);
    const after = await this.#answer(method, request, this.facts.height);
    const lost = method.path.endsWith(APPLIED) ? undefined : lostIn(before, after);
    return { method: method.path, request: given, before, after, lost };
  }

  #request({ descriptor }: StateMethod, given: JsonObject): Message {
    const isPaged = descriptor.input.field["pagination"] !== undefined;
    return fromJson(descriptor.input, { ...(isPaged ? { pagination: { limit: ITEMS } } : {}), ...given });
  }

  async #answer(method: StateMethod, request: Message, height: Height): Promise<QueryAnswer> {
    try {
      const { message } = await this.#query.call(method, request, height);
      return { ok: true, response: this.#json(method.descriptor.output, message) };
    } catch (error) {
      return { ok: false, code: isUpgradeError(error) ? error.code : "", message: messageOf(error) };
    }
  }

  #json(schema: DescMessage, message: Message): JsonValue {
    const { registry } = this.facts.app.chain;
    return toJson(schema, message, { registry, useProtoFieldName: true });
  }
}

interface Sample {
  readonly path: string;
  readonly request: JsonObject;
}

/** Questions about the first account and the first proposal that the lists name. */
function samples(results: readonly QueryResult[]): Sample[] {
  const response = (path: string) => {
    const before = results.find((each) => each.method === path)?.before;
    return before?.ok ? before.response : undefined;
  };
  const found: Sample[] = [];
  const address = pick(response("/cosmos.auth.v1beta1.Query/Accounts"), "accounts", 0, "address");
  if (typeof address === "string") {
    found.push({ path: "/cosmos.auth.v1beta1.Query/Account", request: { address } });
    found.push({ path: "/cosmos.bank.v1beta1.Query/AllBalances", request: { address } });
  }
  const id = pick(response("/cosmos.gov.v1.Query/Proposals"), "proposals", 0, "id");
  if (typeof id === "string") {
    for (const name of ["Proposal", "TallyResult", "Deposits"]) {
      found.push({ path: `/cosmos.gov.v1.Query/${name}`, request: { proposalId: id } });
    }
  }
  const operator = pick(response("/cosmos.staking.v1beta1.Query/Validators"), "validators", 0, "operator_address");
  if (typeof operator === "string") {
    found.push({ path: "/cosmos.staking.v1beta1.Query/Validator", request: { validatorAddr: operator } });
  }
  return found;
}

function pick(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string | number, JsonValue>)[step];
  }
  return at;
}

/** @returns in words what is gone: the response as a whole, a member, a list that has nothing any more */
function lostIn(before: QueryAnswer, after: QueryAnswer): string | undefined {
  if (!before.ok) return undefined;
  if (!after.ok) return `it fails: ${after.message}`;
  const gone = lostMembers(before.response, after.response, "");
  return gone.length === 0 ? undefined : `its response has no ${gone.join(", no ")} any more`;
}

function lostMembers(before: JsonValue, after: JsonValue | undefined, path: string): string[] {
  if (typeof before !== "object" || before === null) return [];
  if (Array.isArray(before)) {
    const isEmptied = before.length > 0 && (!Array.isArray(after) || after.length === 0);
    return isEmptied ? [`items in "${path}"`] : [];
  }
  const now = typeof after === "object" && after !== null && !Array.isArray(after) ? after : {};
  return Object.entries(before).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    // The page's own members come and go with how many items there are.
    if (name === "pagination" || isNothing(value)) return [];
    if (!(name in now)) return [`"${at}"`];
    return lostMembers(value, now[name], at);
  });
}

/** What has its zero value may be left out as well. */
function isNothing(value: JsonValue): boolean {
  return value === null || value === "" || value === 0 || value === false || value === "0";
}
