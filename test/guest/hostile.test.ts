/** Hostile guests, one a line: refused before they run or stopped while they do, each with its code. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ErrorCode, isUpgradeError } from "../../host/base/errors/errors.js";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { load, sha256 } from "./build.js";
import { REFUSED_MANIFESTS } from "./hostile/refused-manifests.js";
import { REFUSED_MODULES } from "./hostile/refused-modules.js";
import { STOPPED_GUESTS } from "./hostile/stopped-guests.js";
import { failure, runHandlerIn, STORES } from "./running.js";

const REFUSED = [...REFUSED_MODULES, ...REFUSED_MANIFESTS];
/** Enough for all that is no bomb, and soon gone. */
const GAS_LIMIT = 30_000_000n;

function codeOf(work: () => unknown): ErrorCode | undefined {
  try {
    work();
  } catch (error) {
    if (isUpgradeError(error)) return error.code;
    throw error;
  }
  return undefined;
}

/** Every way into the engine that takes bytes. */
const ENGINE = ["validate", "compile", "instantiate", "Module", "compileStreaming", "instantiateStreaming"] as const;
/** Types of operands are left to the engine's validator, on the file as it came. */
const LEFT_TO_THE_ENGINE = "an operand of the wrong type";

describe("bytes that are refused", () => {
  afterEach(() => vi.restoreAllMocks());

  test.each(REFUSED)("$what → never in the engine's parser", ({ what, bytes }) => {
    const module = bytes();
    const spies = ENGINE.filter((name) => name in WebAssembly).map((name) => vi.spyOn(WebAssembly, name as "validate"));
    expect(spies.length).toBeGreaterThanOrEqual(4);
    expect(checkHandler(module).findings).not.toEqual([]);
    expect(codeOf(() => loadHandler(module, { sha256 }))).toBeDefined();
    const reached = spies.filter(({ mock }) => mock.calls.length > 0).map((spy) => spy.getMockName());
    expect(reached).toEqual(what === LEFT_TO_THE_ENGINE ? ["validate"] : []);
  });

  test("a module that is taken → the engine sees it, so that the spies are known to see", () => {
    const spy = vi.spyOn(WebAssembly, "validate");
    load({});
    expect(spy).toHaveBeenCalled();
  });
});

describe("hostile guests", () => {
  test("there are 60 and more, none twice", () => {
    const all = [...REFUSED, ...STOPPED_GUESTS].map(({ what }) => what);
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(REFUSED)("$what → $code before it runs", ({ code, bytes }) => {
    const module = bytes();
    const [first] = checkHandler(module).findings;
    expect(first?.code, first?.message).toBe(code);
    // What is wrong; what to do.
    expect(first?.message).toMatch(/^.+; .+$/s);
    expect(() => loadHandler(module, { sha256 })).toThrow(failure(code, first?.message.slice(0, 20)));
  });

  test.each(STOPPED_GUESTS)("$what → $code, while it runs", ({ code, parts, scene = {} }) => {
    const handler = load(parts, scene.manifest ?? { stores: STORES });
    const input = { gasLimit: GAS_LIMIT, ...scene.input };
    expect(codeOf(() => runHandlerIn(handler, { ...scene, input }))).toBe(code);
    // And the same again: how a run ends does not depend on what the engine has learned of the code.
    expect(codeOf(() => runHandlerIn(handler, { ...scene, input }))).toBe(code);
  });
});
