/** The OpenAPI document of the docs is the one that a node serves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useTestNode } from "./test-node.js";

const FILE = join(import.meta.dirname, "../../../../docs/openapi.json");

test("docs/openapi.json → what /openapi.json answers (write it again from there when a route changes)", () =>
  useTestNode(async (node) => {
    const served = await (await fetch(`${node.rest}/openapi.json`)).json();
    expect(JSON.parse(readFileSync(FILE, "utf8"))).toEqual(served);
  }));
