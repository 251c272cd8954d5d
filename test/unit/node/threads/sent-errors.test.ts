/** Errors as they cross from the engine's thread: a message port keeps neither their class nor what is added to them. */
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../../host/base/errors/errors.js";
import { receiveError, sendError } from "../../../../host/node/threads/engine-port.js";

const crossed = (error: unknown) => receiveError(structuredClone(sendError(error)));

describe("receiveError(sendError())", () => {
  test("an error of this project → its class, code, message, details and stack", () => {
    const error = new UpgradeError("UPG_STORE_FULL", "no room", { details: { path: "/home" } });
    const received = crossed(error);
    expect(received).toBeInstanceOf(UpgradeError);
    expect(received).toMatchObject({ code: "UPG_STORE_FULL", message: error.message, details: { path: "/home" } });
    expect(received.stack).toBe(error.stack);
  });

  test("an error of the system → no code of ours, its call and its stack", () => {
    const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" });
    const received = crossed(error);
    expect(received).not.toBeInstanceOf(UpgradeError);
    expect(received).toMatchObject({ message: error.message, syscall: "write", stack: error.stack });
    expect("syscall" in crossed(new Error("no call"))).toBe(false);
  });

  test("what is thrown and is no error → an error with its text", () => {
    expect(crossed("a text").message).toBe("a text");
    expect(crossed(undefined).message).toBe("undefined");
  });
});
