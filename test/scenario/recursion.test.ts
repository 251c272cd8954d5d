/** How deep a message may recurse: bounds that are counted, and what happens where the engine has the only bound. */
import { describe, expect, test } from "vitest";
import { engineLimit, rethrowEngineLimit, withinEngineLimits } from "../../host/base/errors/engine-limit.js";
import { isUpgradeError, UpgradeError } from "../../host/base/errors/errors.js";
import { gov } from "../../host/chain/modules/gov/module.js";
import { describeError } from "../../host/chain/values/tx-error.js";
import { recursionChainWith } from "../recursion/chain.js";
import { failureOf } from "./chain.js";
import { OUTSIDE, RecursionProgram } from "./recursion-chain.js";

const BEYOND = 10_000_000;
const unboundedGov = recursionChainWith({ ...gov(), isBounded: false });

test("finalizeBlock() with a message that recurses beyond the stack → the node stops, with no result and no commit", () => {
  const program = new RecursionProgram();
  const failure = failureOf(() => program.block([program.tx(`pure:${BEYOND}`)]));
  expect([failure.code, failure.kind.exit]).toEqual(["UPG_BUG_ENGINE_LIMIT", 70]);
  expect(program.app.lastCommitID.version).toBe(1n);
});

test("finalizeBlock() with a module that catches the engine's refusal, so that its result follows the stack → the node stops", () => {
  let stopped = 0;
  for (let n = 1_000; n < 200_000; n = Math.ceil(n * 1.2)) {
    const program = new RecursionProgram();
    try {
      expect(program.block([program.tx(`catch:${n}`)]).txResults[0]?.code).toBe(0);
    } catch (error) {
      expect(isUpgradeError(error) && error.code).toBe("UPG_BUG_ENGINE_LIMIT");
      stopped++;
    }
  }
  expect(stopped).toBeGreaterThan(0);
});

describe.each(OUTSIDE)("a recursion outside of transactions: %s", (where) => {
  test("deep, and the module catches the engine's refusal → between what fits and what is refused, the node stops", () => {
    const found: Record<"fits" | "refused", number[]> = { fits: [], refused: [] };
    for (let n = 500; n < 100_000; n = Math.ceil(n * 1.4)) {
      const program = new RecursionProgram();
      try {
        program.outside(where, `catch:${n}`);
        expect(["caught", String(n)]).toContain(program.left);
        found[program.left === "caught" ? "refused" : "fits"].push(n);
      } catch (error) {
        expect(isUpgradeError(error) && error.code, String(error)).toBe("UPG_BUG_ENGINE_LIMIT");
      }
    }
    // A node that decides otherwise would need frames so much larger than another's.
    expect(Math.min(...found.refused) / Math.max(...found.fits)).toBeGreaterThan(4);
  });

  test.each(["pure:100", "branch:100", "json:50"])("%s → runs", (text) => {
    const program = new RecursionProgram();
    program.outside(where, text);
    expect(program.left).toMatch(/^(?:\d+|true|false)$/);
  });

  test("beyond the stack → the node stops, and nothing of the block is committed", () => {
    const program = new RecursionProgram();
    const failure = failureOf(() => program.outside(where, `pure:${BEYOND}`));
    expect([failure.code, failure.kind.exit]).toEqual(["UPG_BUG_ENGINE_LIMIT", 70]);
    expect(program.left).toBe("");
  });
});

test.each(["begin", "end", "vote"] as const)("messages that run inside of each other, %s → run", (where) => {
  const program = new RecursionProgram();
  program.outside(where, "router:20");
  expect(program.left).toBe("bottom");
});

test("a hook that promises no bound and runs messages that promise none → one trial, and both run", () => {
  const program = new RecursionProgram(unboundedGov);
  program.outside("vote", "pure:100");
  expect(program.left).toBe("100");
});

test("checkTx() and a proposal with it → refused and left out; nothing stops, and the account's sequence stays", () => {
  const program = new RecursionProgram();
  const tx = program.tx(`pure:${BEYOND}`);
  const refused = program.app.checkTx(tx);
  expect([refused.codespace, refused.code]).toEqual(["sdk", 35]);
  expect(refused.log).toContain("UPG_BUG_ENGINE_LIMIT");
  const good = program.tx("pure:10");
  expect(program.app.checkTx(good).code).toBe(0);
  const height = program.app.nextHeight;
  expect(program.port.processProposal({ height, txs: [tx] })).toBe(false);
  expect(program.port.prepareProposal({ height, txs: [tx, good] }, 1_000_000)).toEqual([good]);
  expect(program.block([good]).txResults[0]?.code).toBe(0);
});

test("checkTx() and a proposal with a module that catches the refusal → refused and left out", () => {
  const program = new RecursionProgram();
  const tx = program.tx("catch:9000");
  expect(program.app.checkTx(tx).log).toContain("UPG_BUG_ENGINE_LIMIT");
  expect(program.port.processProposal({ height: program.app.nextHeight, txs: [tx] })).toBe(false);
});

test("simulate() with it → an error of the simulation", () => {
  const program = new RecursionProgram();
  const { code, log } = program.app.simulate(program.tx(`pure:${BEYOND}`));
  expect([code, log.includes("UPG_BUG_ENGINE_LIMIT")]).toEqual([35, true]);
});

test("messages in messages → 32 run, one more is refused, the same on every node", () => {
  const program = new RecursionProgram();
  expect(program.block([program.tx("router:31")]).txResults[0]?.code).toBe(0);
  const [refused] = program.block([program.tx("router:32")]).txResults;
  expect([refused?.codespace, refused?.code]).toEqual(["undefined", 1]);
  expect(refused?.log).toContain("is run by more than 32 messages around it");
});

test("branches of branches → refused beyond the bound", () => {
  const program = new RecursionProgram();
  expect(program.block([program.tx("branch:100")]).txResults[0]?.code).toBe(0);
  const [refused] = program.block([program.tx("branch:1000000")]).txResults;
  expect(refused?.log).toContain("more than 128 deep");
});

test("charges that end at the bound of 10,000,000, whatever the gas limit → the same code in the trial and in the block", () => {
  const program = new RecursionProgram();
  expect(program.block([program.tx("charge:9999000")]).txResults[0]?.code).toBe(0);
  for (const text of ["charge:9999999", "charge:20000000"]) {
    const [refused] = program.block([program.tx(text)]).txResults;
    expect([refused?.codespace, refused?.code]).toEqual(["sdk", 11]);
    expect(refused?.log).toContain("a transaction charges 10000000 times at most");
  }
});

test("engineLimit() → the engine's refusals and what they caused; nothing that a text alone says", () => {
  const refusal = failure(() => deep());
  expect(engineLimit(refusal)?.code).toBe("UPG_BUG_ENGINE_LIMIT");
  expect(engineLimit(new UpgradeError("UPG_INVALID_TX", "wrapped", { cause: refusal }))?.code).toBe(
    "UPG_BUG_ENGINE_LIMIT",
  );
  expect(engineLimit(failure(() => "x".repeat(2 ** 30)))?.code).toBe("UPG_BUG_ENGINE_LIMIT");
  expect(engineLimit(new RangeError("Array buffer allocation failed"))?.code).toBe("UPG_STORE_IO");
  expect(engineLimit(new Error("Maximum call stack size exceeded"))).toBeUndefined();
  expect(engineLimit(failure(() => "x".repeat(-1)))).toBeUndefined();
  expect(engineLimit(new UpgradeError("UPG_HANDLER_STACK", "deep", { cause: refusal }))).toBeUndefined();
});

test("describeError() of the engine's refusal → thrown, no verdict", () => {
  const refusal = failure(() => deep());
  expect(failureOf(() => describeError(refusal)).code).toBe("UPG_BUG_ENGINE_LIMIT");
});

test("withinEngineLimits() → a refusal that passed through the host counts, also when the module caught it", () => {
  const run = () => {
    try {
      rethrowEngineLimit(new RangeError("Maximum call stack size exceeded"));
    } catch {
      return "caught";
    }
    return "not thrown";
  };
  expect(failureOf(() => withinEngineLimits(run)).code).toBe("UPG_BUG_ENGINE_LIMIT");
  expect(withinEngineLimits(() => "fine")).toBe("fine");
});

function deep(): number {
  return 1 + deep();
}

function failure(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
