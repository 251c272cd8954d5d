/** The OpenAPI document of the REST server, made of the same descriptors that it serves. */
import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { VERSION } from "../../../base/terminal/version.js";
import type { Route } from "./routes.js";
import { SITE_PATHS } from "./site-paths.js";

type Schema = Readonly<Record<string, unknown>>;

const INT64 = { type: "string", format: "int64" };
const UINT64 = { type: "string", format: "uint64" };

const SCALARS: Partial<Record<ScalarType, Schema>> = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.BYTES]: { type: ["string", "null"], format: "byte" },
  [ScalarType.INT64]: INT64,
  [ScalarType.UINT64]: UINT64,
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  [ScalarType.UINT32]: { type: "integer", format: "int64" },
};

/** Types that have a form of their own in JSON. */
const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string" },
  "google.protobuf.Any": { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: true },
};

const HEIGHT_PARAMETER = {
  name: "x-cosmos-block-height",
  in: "header",
  description: "Height of the state to read; none or 0: the last one.",
  schema: INT64,
};

const ERROR = {
  type: "object",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", description: "gRPC status number" },
    message: { type: "string" },
    details: { type: "array", items: { type: "object" } },
  },
};

export function openApiDocument(routes: readonly Route[]): Schema {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const operations = paths[route.template] ?? {};
    paths[route.template] = operations;
    operations[route.verb.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "chain-upgrade",
      version: VERSION,
      description: "The queries of a node, as JSON. 64-bit integers are strings.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths: { ...paths, ...SITE_PATHS },
    components: { schemas: { Error: ERROR, ...schemas.all() } },
  };
}

function operation({ method, segments, hasBody, verb, template }: Route, schemas: Schemas): Schema {
  const { descriptor } = method;
  const inPath = new Set(segments.flatMap((segment) => ("field" in segment ? [segment.field] : [])));
  const path = descriptor.input.fields
    .filter(({ name }) => inPath.has(name))
    .map((field) => ({ name: field.name, in: "path", required: true, schema: schemas.ofField(field) }));
  const query = hasBody ? [] : queryParameters(descriptor.input, inPath, schemas);
  return {
    operationId: operationId(descriptor, template),
    tags: [descriptor.parent.typeName],
    parameters: [...path, ...query, ...(method.isOfState ? [HEIGHT_PARAMETER] : [])],
    ...(hasBody && verb === "POST"
      ? { requestBody: { required: true, content: jsonContent(schemas.of(descriptor.input)) } }
      : {}),
    responses: {
      "200": { description: "The answer.", content: jsonContent(schemas.of(descriptor.output)) },
      default: { description: "An error.", content: jsonContent({ $ref: "#/components/schemas/Error" }) },
    },
  };
}

/** Methods with two routes: the one that names what is asked for has an id of its own. */
const SECOND_ROUTES = [
  ["/{params_type}", "OfType"],
  ["/readiness/{name}", "OfName"],
] as const;

function operationId({ parent, name }: DescMethod, template: string): string {
  const extra = SECOND_ROUTES.find(([end]) => template.endsWith(end))?.[1] ?? "";
  return `${parent.typeName}.${name}${extra}`.replaceAll(".", "_");
}

const jsonContent = (schema: Schema) => ({ "application/json": { schema } });

function queryParameters(input: DescMessage, inPath: ReadonlySet<string>, schemas: Schemas): Schema[] {
  return input.fields
    .filter(({ name }) => !inPath.has(name))
    .flatMap((field) =>
      field.fieldKind === "message"
        ? field.message.fields.map((inner) => ({
            name: `${field.name}.${inner.name}`,
            in: "query",
            schema: schemas.ofField(inner),
          }))
        : [{ name: field.name, in: "query", schema: schemas.ofField(field) }],
    );
}

class Schemas {
  readonly #byName = new Map<string, Schema>();

  of(message: DescMessage): Schema {
    const known = WELL_KNOWN[message.typeName];
    if (known) return known;
    if (!this.#byName.has(message.typeName)) {
      this.#byName.set(message.typeName, {});
      const properties = Object.fromEntries(message.fields.map((field) => [field.name, this.ofField(field)]));
      this.#byName.set(message.typeName, { type: "object", properties });
    }
    return { $ref: `#/components/schemas/${message.typeName}` };
  }

  ofField(field: DescField): Schema {
    switch (field.fieldKind) {
      case "message":
        return { anyOf: [this.of(field.message), { type: "null" }] };
      case "enum":
        return { type: "string", enum: field.enum.values.map(({ name }) => name) };
      case "scalar":
        return SCALARS[field.scalar] ?? {};
      case "list":
        return { type: "array", items: this.#ofItem(field) };
      case "map":
        return { type: "object" };
    }
  }

  all(): Record<string, Schema> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #ofItem(field: DescField & { fieldKind: "list" }): Schema {
    if (field.listKind === "message") return this.of(field.message);
    return field.listKind === "enum" ? { type: "string" } : (SCALARS[field.scalar] ?? {});
  }
}
