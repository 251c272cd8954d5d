/**
 * Routes, read from the `google.api.http` options of the methods. A service without any has the routes
 * `GET /<package as a path>/<method_in_snake_case>`.
 */
import { getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../../base/gen/google/api/annotations_pb.js";
import type { HttpRule } from "../../../base/gen/google/api/http_pb.js";
import type { QueryMethod, QueryService } from "../../../chain/app/query/service.js";

/** A part of a path: a word, or the name of the field in its place. */
type Segment = { readonly word: string } | { readonly field: string };

export interface Route {
  readonly verb: "GET" | "POST";
  readonly template: string;
  readonly segments: readonly Segment[];
  /** The body is the request. */
  readonly hasBody: boolean;
  readonly method: QueryMethod;
}

export interface FoundRoute {
  readonly route: Route;
  /** Decoded, by field name. */
  readonly parameters: ReadonlyMap<string, string>;
}

export function routesOf(services: readonly QueryService[]): Route[] {
  return services.flatMap(({ methods }) => {
    const hasNone = !methods.some(({ descriptor }) => hasOption(descriptor, http));
    return methods.flatMap((method) => {
      if (hasNone) return routeOf({ pattern: { case: "get", value: defaultPath(method) }, body: "" }, method);
      if (!hasOption(method.descriptor, http)) return [];
      const rule = getOption(method.descriptor, http);
      return [rule, ...rule.additionalBindings].flatMap((each) => routeOf(each, method));
    });
  });
}

/** `mychain.notes.v1.Query/AllNotes` is `/mychain/notes/v1/all_notes`. */
function defaultPath({ descriptor: { parent, name } }: QueryMethod): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return `/${parent.typeName.split(".").slice(0, -1).join("/")}/${words}`;
}

function routeOf({ pattern, body }: Pick<HttpRule, "pattern" | "body">, method: QueryMethod): Route[] {
  if (pattern.case !== "get" && pattern.case !== "post") return [];
  const template = pattern.value;
  const segments = template.split("/").map((part): Segment => {
    const field = /^\{(\w+)\}$/.exec(part)?.[1];
    return field === undefined ? { word: part } : { field };
  });
  return [{ verb: pattern.case === "get" ? "GET" : "POST", template, segments, hasBody: body === "*", method }];
}

/** Finds routes by path; words go before fields, so `blocks/latest` is no height. */
export class Router {
  readonly #byLength = new Map<number, Route[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const { length } = route.segments;
      this.#byLength.set(length, [...(this.#byLength.get(length) ?? []), route].sort(byFields));
    }
  }

  /**
   * Each part of the path is decoded by itself, so a name may hold any character.
   * @throws URIError when the path is not percent-encoded UTF-8
   */
  find(verb: string, path: string): FoundRoute | undefined {
    const parts = path.split("/");
    const route = this.#byLength.get(parts.length)?.find((each) => each.verb === verb && matches(each, parts));
    if (!route) return undefined;
    const parameters = new Map<string, string>();
    route.segments.forEach((segment, at) => {
      if ("field" in segment) parameters.set(segment.field, decodeURIComponent(parts[at] as string));
    });
    return { route, parameters };
  }
}

function matches({ segments }: Route, parts: readonly string[]): boolean {
  return segments.every((segment, at) => "field" in segment || segment.word === parts[at]);
}

const fieldCount = ({ segments }: Route) => segments.filter((segment) => "field" in segment).length;

const byFields = (a: Route, b: Route) => fieldCount(a) - fieldCount(b);
