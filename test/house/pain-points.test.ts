/** Each row of docs/chainvisor.md#pain-points names a test that exists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./sources.js";

const FILED = 25;
const SEEN = 4;

test("docs/chainvisor.md#pain-points → a row for each of them, and each row's test is in its file", () => {
  const page = readFileSync(join(ROOT, "docs/chainvisor.md"), "utf8").split("\n## Pain points\n")[1] ?? "";
  const rows = [...page.matchAll(/^\| (9|peers)\.(\d+) \| .* \| `(test\/[^`]+)`: (.+) \|$/gm)];
  const numbers = rows.map(([, list, number]) => `${list}.${number}`);
  const expected = [FILED, SEEN].flatMap((count, list) =>
    Array.from({ length: count }, (_, index) => `${list === 0 ? "9" : "peers"}.${index + 1}`),
  );
  expect(numbers).toEqual(expected);
  for (const [, , , file = "", title = ""] of rows) expect(readFileSync(join(ROOT, file), "utf8")).toContain(title);
});
