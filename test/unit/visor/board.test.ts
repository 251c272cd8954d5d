import { describe, expect, it } from "vitest";
import { Board } from "../../../host/visor/status/board.js";

function board() {
  let millis = 1_000;
  const clock = { now: () => millis, wall: () => millis };
  const pass = (more: number) => {
    millis += more;
  };
  return { made: new Board(clock), pass };
}

describe("Board", () => {
  it("update() of other members → since stays; of the phase → since is the time of the change", () => {
    const { made, pass } = board();
    const { since } = made.current;
    pass(500);
    made.update({ message: "starts" });
    expect(made.current).toMatchObject({ since, phase: "starting", message: "starts" });
    made.update({ phase: "running" });
    expect(made.current).toMatchObject({ since: "1970-01-01T00:00:01.500Z", phase: "running", message: "starts" });
    pass(500);
    made.update({ phase: "running", restarts: 1 });
    expect(made.current.since).toBe("1970-01-01T00:00:01.500Z");
  });

  it("onChange() → called after each change, not for a change to what is; not after its end", () => {
    const { made } = board();
    const seen: string[] = [];
    const end = made.onChange(({ phase }) => seen.push(phase));
    made.update({ phase: "running" });
    made.update({ phase: "running" });
    made.count("downloadBytes", 5);
    made.update({ phase: "halted" });
    end();
    made.update({ phase: "running" });
    expect(seen).toEqual(["running", "halted"]);
  });

  it("onChange() with a listener that throws → the others are called, and the change is made", () => {
    const { made } = board();
    const seen: string[] = [];
    made.onChange(() => {
      throw new Error("a page is gone");
    });
    made.onChange(({ phase }) => seen.push(phase));
    made.update({ phase: "running" });
    made.update({ phase: "failed" });
    expect(seen).toEqual(["running", "failed"]);
  });

  it("count() → totals grow", () => {
    const { made } = board();
    made.count("downloadBytes", 5);
    made.count("downloadBytes", 7);
    made.count("backupBytes", 1);
    expect(made.totals).toEqual({ downloadBytes: 12, backupBytes: 1 });
  });

  it("lastHaltSeconds after halted, switching, migrating, running → the time between the first and the last", () => {
    const { made, pass } = board();
    expect(made.lastHaltSeconds).toBeUndefined();
    for (const phase of ["ready", "halted", "switching", "migrating"] as const) {
      made.update({ phase });
      pass(250);
    }
    expect(made.lastHaltSeconds).toBeUndefined();
    made.update({ phase: "running" });
    expect(made.lastHaltSeconds).toBe(0.75);
  });

  it("lastHaltSeconds when it was stopped meanwhile → none", () => {
    const { made, pass } = board();
    made.update({ phase: "halted" });
    pass(9_000);
    made.update({ phase: "stopped" });
    made.update({ phase: "running" });
    expect(made.lastHaltSeconds).toBeUndefined();
  });
});
