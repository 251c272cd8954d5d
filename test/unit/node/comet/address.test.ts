/** Where the application listens. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAbciAddress } from "../../../../host/node/comet/address.js";
import { failureOf } from "../../../scenario/chain.js";

import { folder, INFO, serve } from "./served.js";

describe("where it listens", () => {
  test("the socket of a process that was killed → taken over; a file that is none → UPG_INVALID_CONFIG, left alone", async () => {
    const path = join(folder, "old.sock");
    const first = await serve(`unix://${path}`);
    await first.server.close();
    writeFileSync(path, "");
    await expect(serve(`unix://${path}`)).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
    expect(existsSync(path)).toBe(true);
  });

  test("the socket of an application that runs → UPG_INVALID_CONFIG, and that one is still served", async () => {
    const path = join(folder, "taken.sock");
    const { client } = await serve(`unix://${path}`);
    await expect(serve(`unix://${path}`)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("another program listens"),
    });
    expect(await (await client()).call(INFO)).toMatchObject({ case: "info" });
  });

  test("a port that is taken → UPG_INVALID_CONFIG with the address", async () => {
    const { server } = await serve();
    await expect(serve(server.address)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining(server.address),
    });
  });

  test.each([
    ["unix:///run/a.sock", { kind: "unix", path: "/run/a.sock" }],
    ["tcp://127.0.0.1:26658", { kind: "tcp", host: "127.0.0.1", port: 26_658 }],
    ["[::1]:5", { kind: "tcp", host: "::1", port: 5 }],
    [":26658", { kind: "tcp", host: "0.0.0.0", port: 26_658 }],
  ])("%s → that address", (text, address) => expect(parseAbciAddress(text)).toEqual(address));

  test.each([
    "unix://",
    "tcp://127.0.0.1",
    "tcp://127.0.0.1:65536",
    "http://127.0.0.1:1",
    "",
    `unix:///${"a".repeat(107)}`,
  ])("%s → UPG_INVALID_CONFIG", (text) =>
    expect(failureOf(() => parseAbciAddress(text))).toMatchObject({ code: "UPG_INVALID_CONFIG" }),
  );
});
