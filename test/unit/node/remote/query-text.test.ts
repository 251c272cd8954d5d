/** Searches on their way to CometBFT: written again so that it reads what was meant. */
import { expect, test } from "vitest";
import { parseEventQuery } from "../../../../host/chain/events/event-query-text.js";
import { queryText } from "../../../../host/node/remote/txs.js";

test.each([
  ["tx.height>=4.0 AND tx.height<3.", "tx.height >= 4.0 AND tx.height < 3."],
  ["a\u00e9.b='5'  AND a.b EXISTS", "a\u00e9.b = '5' AND a.b EXISTS"],
  [`a.b CONTAINS "x y" AND a.b='\\'`, "a.b CONTAINS 'x y' AND a.b = '\\'"],
  [
    "a.b>DATE 2026-01-31 AND a.b<TIME 2026-02-01T00:00:00Z",
    "a.b > DATE 2026-01-31 AND a.b < TIME 2026-02-01T00:00:00Z",
  ],
  [`a.b=${"9".repeat(30)}`, `a.b = ${"9".repeat(30)}`],
])("queryText() of %s → as CometBFT reads it", (query, text) => {
  expect(queryText(parseEventQuery(query))).toBe(text);
  expect(parseEventQuery(text)).toEqual(parseEventQuery(query));
});
