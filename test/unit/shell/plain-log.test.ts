/** The log as people read it. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { plainLog } from "../../../host/shell/plain-log.js";

const TIME = Date.UTC(2026, 0, 2, 10, 47, 3);
const written: string[] = [];
vi.spyOn(process.stderr, "write").mockImplementation((text) => {
  written.push(String(text));
  return true;
});
afterEach(() => {
  written.length = 0;
});

const write = (...lines: readonly object[]) =>
  new Promise<void>((resolve) => {
    plainLog().write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""), () => resolve());
  });

describe("plainLog()", () => {
  test("a line of the log → time, level, message and fields on stderr", async () => {
    await write({ level: 30, time: TIME, pid: 1, hostname: "h", msg: "block made", height: "5", txs: [1, 2] });
    expect(written).toEqual(["10:47:03 INF block made height=5 txs=[1,2]\n"]);
  });

  test("several lines at once → one each; a level without a name, no message", async () => {
    await write({ level: 50, time: TIME, msg: "a" }, { level: 7, time: TIME, b: true });
    expect(written).toEqual(["10:47:03 ERR a\n", "10:47:03 ???  b=true\n"]);
  });

  test("characters that would write over the terminal → escaped", async () => {
    await write({ level: 40, time: TIME, msg: "a\u001b[2Jb", plan: "c\u202ed" });
    expect(written.join("")).not.toMatch(/[\u001b\u202e]/);
    expect(written.length).toBe(1);
  });
});
