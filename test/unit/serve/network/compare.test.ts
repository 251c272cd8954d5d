/** The check that ends each scene of `npm run network` fails where it must. */
import { expect, test } from "vitest";
import { type Compares, compareHeaders } from "../../../network/compare.js";

function node(name: string, ...headers: readonly string[]): Compares {
  const all = new Map(headers.map((header, index) => [index + 1, header]));
  return { own: { name }, height: async () => headers.length, headers: async () => all };
}

test("the same headers, up to the height that all have → no difference; another, or none → named", async () => {
  expect(await compareHeaders([node("a", "1", "2"), node("b", "1", "2", "3")])).toEqual({
    heights: 2,
    differences: [],
  });
  const { differences } = await compareHeaders([node("a", "1", "2"), node("b", "1", "x"), node("c", "1", "2")]);
  expect(differences).toEqual(["height 2 of b: x, not 2"]);
  const gaps = { ...node("c"), height: async () => 2 };
  expect((await compareHeaders([gaps, node("a", "1", "2")])).differences).toHaveLength(4);
});

test("a node that cannot be asked, or one node alone → no comparison that finds nothing", async () => {
  await expect(compareHeaders([node("a", "1"), node("b")])).rejects.toThrow("no height of b");
  await expect(compareHeaders([node("a", "1")])).rejects.toThrow("nothing to compare");
});
