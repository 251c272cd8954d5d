/** The routes besides the queries, for the OpenAPI document. */
type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: "string" };
const ERROR_RESPONSE = {
  description: "An error.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const inPath = (name: string, description: string) => ({ name, in: "path", required: true, description, schema: TEXT });
const inQuery = (name: string, description: string) => ({ name, in: "query", description, schema: TEXT });

interface Content {
  readonly type: string;
  readonly schema: Schema;
  readonly description: string;
}

function get(tag: string, id: string, summary: string, parameters: readonly Schema[], content: Content): Schema {
  const { type, schema, description } = content;
  return {
    get: {
      ...{ operationId: id, tags: [tag], summary, parameters },
      responses: { "200": { description, content: { [type]: { schema } } }, default: ERROR_RESPONSE },
    },
  };
}

const JSON_RPC: Content = {
  type: "application/json",
  schema: { type: "object" },
  description: "The response of the RPC, as JSON-RPC 2.0 has it.",
};
const HEIGHT = inQuery("height", "Of the block; none: the last.");

const rpc = (method: string, summary: string, parameters: readonly Schema[] = []) =>
  get("rpc", `rpc_${method}`, summary, parameters, JSON_RPC);

const file = (id: string, summary: string, parameters: readonly Schema[], type: string) =>
  get("upgrade", id, `${summary} HEAD and ranges are served too.`, parameters, {
    type,
    schema: { type: "string", format: "binary" },
    description: "The file.",
  });

export const SITE_PATHS: Readonly<Record<string, Schema>> = {
  "/rpc/status": rpc("status", "Who the node is, and its last block."),
  "/rpc/commit": rpc("commit", "A header and the signatures under it.", [HEIGHT]),
  "/rpc/validators": rpc("validators", "The validators of a height.", [
    HEIGHT,
    inQuery("page", "From 1."),
    inQuery("per_page", "At most 100."),
  ]),
  "/rpc/abci_query": rpc("abci_query", "A key of a store with its proof, or a query.", [
    inQuery("path", 'In quotation marks: "/store/upgrade/key".'),
    inQuery("data", "The key or the request: 0x and hex."),
    inQuery("height", "Of the state; none: the last that can be proven."),
    inQuery("prove", "true: with the proof."),
  ]),
  "/chain/upgrade/v1/status": get(
    "upgrade",
    "chain_upgrade_status",
    "What the node says of itself and of the upgrade to come; nothing of it is proven.",
    [],
    {
      type: "application/json",
      schema: {
        type: "object",
        properties: {
          unproven: TEXT,
          chain_id: TEXT,
          phase: { type: "string", enum: ["running", "waiting", "migrating", "halted", "failed"] },
          height: TEXT,
          block_time: { type: ["string", "null"], format: "date-time" },
          block_seconds: { type: "array", items: { type: "object", properties: { blocks: TEXT, seconds: TEXT } } },
          plan: { type: ["object", "null"] },
          last_upgrade: { type: ["object", "null"] },
          progress: { type: ["object", "null"] },
          halt: { type: ["object", "null"] },
        },
      },
      description: "The status.",
    },
  ),
  "/chain/upgrade/v1/handler/{sha256}": file(
    "chain_upgrade_handler",
    "A handler that this node has.",
    [inPath("sha256", "64 hex digits.")],
    "application/wasm",
  ),
  "/chain/upgrade/v1/witness/{plan}": file(
    "chain_upgrade_witness",
    "What is needed to run an upgrade's handler again.",
    [inPath("plan", "Name of the plan."), inQuery("etag", "Its tag: then the response may be kept for good.")],
    "application/octet-stream",
  ),
};
