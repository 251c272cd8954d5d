/** Lists of governance for a proposal that does not exist: empty, as on chains of the Cosmos SDK. */
import { expect, test } from "vitest";
import { useTestNode } from "./test-node.js";

test("votes and deposits of proposal 999 → 200 with an empty list; of proposal 0 → 400", () =>
  useTestNode(async ({ rest }) => {
    for (const list of ["votes", "deposits"]) {
      const of = (id: number) => fetch(`${rest}/cosmos/gov/v1/proposals/${id}/${list}`);
      const absent = await of(999);
      expect([absent.status, await absent.json()]).toEqual([
        200,
        { [list]: [], pagination: { next_key: null, total: "0" } },
      ]);
      expect((await of(0)).status).toBe(400);
    }
  }));
