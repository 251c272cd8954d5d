/** What programs report of a start by a unit file. */

import { expect, test } from "vitest";
import { ASKED_START } from "../../../host/node/home/supervised-start.js";
import type { Machine } from "../../../host/visor/decide/machine.js";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { realMachine } from "../../../host/visor/run/real-machine.js";
import { examineHome } from "../../../host/visor/run/without-sidecar/examined.js";
import { unitStarts } from "../../../host/visor/stage/doctor/unit-starts.js";
import { goodHome } from "./doctor-home.js";

const END = { exit: 30, signal: null, stdout: "" };

test("unitStarts() → the program is asked with the unit's flags and variables; what it reports without them is left out", async () => {
  const { home, put } = goodHome();
  put("data/chain.mdb", "");
  put("cosmovisor/genesis/bin/n", `#!/usr/bin/env node\n`);
  const unit = put(
    "u.service",
    `[Service]\nEnvironment=DAEMON_HOME=${home} DAEMON_NAME=n N_HALT_HEIGHT=9\nExecStart=/x/chainvisor run start --trace\n`,
  );
  const other = put(
    "v.service",
    `[Service]\nEnvironment=DAEMON_HOME=${home} DAEMON_NAME=n\nExecStart=/x/chainvisor run version\n`,
  );
  const run = async (_file: string, { env }: { env: NodeJS.ProcessEnv }) => {
    const { [ASKED_START]: asked, N_HALT_HEIGHT: halt } = env;
    return { ...END, stderr: asked === undefined ? "Error: the disk is full" : `Error: ${halt} ${asked}` };
  };
  const machine = { ...realMachine, processes: { ...realMachine.processes, run } } as typeof realMachine;
  const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
  const found = await unitStarts({ read, machine, units: [unit, other], plan: undefined });
  const asked = JSON.stringify({ file: unit, folder: `${home}/cosmovisor`, args: ["start", "--trace"] });
  expect([...found]).toEqual([[unit, [`pre-upgrade ended with 30: Error: 9 ${asked}`]]]);
  const sick = {
    ...machine,
    processes: { ...machine.processes, run: async () => ({ ...END, stderr: "Error: the disk is full" }) },
  };
  expect([
    ...(await unitStarts({ read, machine: sick as typeof realMachine, units: [unit], plan: undefined })),
  ]).toEqual([[unit, []]]);
});

test("examineHome() of a program whose pre-upgrade does not end, with two units → it is run once", async () => {
  const { home, put } = goodHome();
  put("data/chain.mdb", "");
  put("cosmovisor/genesis/bin/n", `#!/usr/bin/env node\n`);
  const units = ["a", "b"].map((name) => {
    const variables = `Environment=DAEMON_HOME=${home} DAEMON_NAME=n`;
    return put(`${name}.service`, `[Service]\n${variables}\nExecStart=/x/chainvisor run start\n`);
  });
  const ran: string[] = [];
  const run: Machine["processes"]["run"] = async (_, { args: [command = ""] }) => {
    ran.push(command);
    return { exit: null, signal: "SIGKILL", error: new Error("no end after 30000 ms"), stdout: "", stderr: "" };
  };
  const machine = { ...realMachine, processes: { ...realMachine.processes, run } };
  const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
  const { found } = await examineHome(read, machine, units);
  expect(ran.filter((command) => command === "pre-upgrade")).toEqual(["pre-upgrade"]);
  expect(found.status?.readiness).toContainEqual(expect.objectContaining({ what: "pre-upgrade", state: "unknown" }));
});
