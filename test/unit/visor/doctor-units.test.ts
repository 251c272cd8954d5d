/** Unit files of systemd: that of `service` is right, and each value that harms is named. */
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { unitFile } from "../../../host/visor/stage/doctor/unit-file.js";
import { goodHome, look } from "./doctor-home.js";

describe("examine() unit files", () => {
  test("the unit file of `service` → right; each value that harms → named", () => {
    const { home, put } = goodHome();
    const settings = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
    const unit = unitFile({ settings, command: [process.execPath, "/x/chainvisor.js"], args: ["start"], user: "root" });
    expect(look(home, { units: [put("good.service", unit)] })).toEqual([]);
    const bad = unit
      .replace(/TimeoutStopSec=.*/, "TimeoutStopSec=1min 30s")
      .replace("KillMode=mixed", "KillMode=control-group")
      .replace("NotifyAccess=all", "NotifyAccess=main")
      .replace("RestartPreventExitStatus=2 10", "RestartPreventExitStatus=10")
      .replace("Restart=on-failure", "Restart=always");
    const found = look(home, { units: [put("bad.service", bad)] }).join("\n");
    for (const words of [
      "TimeoutStopSec is 90 s",
      "KillMode is not mixed",
      "NotifyAccess is not all",
      "lacks 2:",
      "Restart is always",
    ])
      expect(found).toContain(words);
    expect(look(home, { units: ["/no/such.service"] })).toEqual(["wrong unit: /no/such.service is missing"]);
    const once = unit.replace(/^User=/m, "Environment=DAEMON_RESTART_AFTER_UPGRADE=false\nUser=");
    expect(look(home, { units: [put("once.service", once)] }).join("\n")).toMatch(
      /^warning unit: .*DAEMON_RESTART_AFTER_UPGRADE is false and Restart is on-failure: the sidecar ends with 0/,
    );
    const theirs = put("theirs.service", "[Service]\nExecStart=/usr/bin/cosmovisor run start\n");
    expect(look(home, { units: [theirs] })[0]).toContain("runs Cosmovisor on this home");
  });

  test.each([
    [
      "another home",
      /^Environment=DAEMON_HOME=.*$/m,
      "Environment='DAEMON_HOME=/other'",
      "wrong",
      "its DAEMON_HOME is /other",
    ],
    [
      "another program",
      /^Environment=DAEMON_NAME=.*$/m,
      'Environment="DAEMON_NAME=other"',
      "wrong",
      "its DAEMON_NAME is other",
    ],
    ["no name", /^Environment=DAEMON_NAME=.*$/m, "", "wrong", "DAEMON_NAME is not set in it"],
    ["a longer grace", /^User=/m, "Environment=X=1 DAEMON_SHUTDOWN_GRACE=3h\nUser=", "wrong", "(at least 10860)"],
    [
      "a sidecar that is not there",
      /^ExecStart=/m,
      "ExecStart=-/no/chainvisor run start\n#",
      "wrong",
      "its program /no/chainvisor is missing",
    ],
    ["no command", /^ExecStart=/m, "#", "wrong", "it has no ExecStart"],
    [
      "a user that is not there",
      /^User=.*$/m,
      "User=nobody-such",
      "warning",
      "its user nobody-such is not in /etc/passwd",
    ],
    [
      "two log formats, by a flag of the node",
      /^(ExecStart=.*)$/m,
      "$1 --log_format json\nEnvironment=CHAINVISOR_LOG_FORMAT=plain",
      "warning",
      "the log has two formats: CHAINVISOR_LOG_FORMAT is plain, --log_format of the node is json",
    ],
    [
      "two log formats, by variables",
      /^User=/m,
      "Environment=CHAINVISOR_LOG_FORMAT=json N_LOG_FORMAT=plain\nUser=",
      "warning",
      "the log has two formats: CHAINVISOR_LOG_FORMAT is json, N_LOG_FORMAT is plain",
    ],
    ["few files", /^LimitNOFILE=.*$/m, "LimitNOFILE=4096", "warning", "LimitNOFILE is 4096"],
    ["the system's number of files", /^LimitNOFILE=.*$/m, "", "warning", "LimitNOFILE is not set"],
  ])("a unit file with %s → named, and nothing else", (_case, line, other, level, words) => {
    const { home, put } = goodHome();
    const settings = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
    const unit = unitFile({ settings, command: [process.execPath, "/x/chainvisor.js"], args: ["start"], user: "root" });
    const found = look(home, { units: [put("u.service", unit.replace(line, other))] });
    expect(found).toEqual([expect.stringContaining(words)]);
    expect(found[0]).toContain(`${level} unit`);
  });

  const unitOf = (home: string) =>
    unitFile({
      settings: readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined),
      ...{ command: [process.execPath, "/x/chainvisor.js"], args: ["start"], user: "root" },
    });

  test("a unit file whose environment is in another file → that file counts; missing → named, with a hyphen → not", () => {
    const { home, put } = goodHome();
    const variables = put("chain.env", `# of the node\nDAEMON_HOME="${home}"\nDAEMON_NAME=n\n`, 0o644);
    const elsewhere = (file: string, unit = unitOf(home).replace(/^Environment=.*$/gm, "")) =>
      look(home, { units: [put("u.service", unit.replace("User=", `EnvironmentFile=${file}\nUser=`))] });
    expect(elsewhere(variables)).toEqual([]);
    expect(elsewhere("/no/such.env")).toEqual([expect.stringContaining("its EnvironmentFile /no/such.env is missing")]);
    expect(elsewhere("-/no/such.env", unitOf(home))).toEqual([]);
    writeFileSync(variables, `DAEMON_HOME=${home}\nDAEMON_NAME='n'\nCHAINVISOR_ON_REFUSAL=bogus\n`);
    expect(elsewhere(variables)).toEqual([expect.stringContaining("CHAINVISOR_ON_REFUSAL")]);
  });

  test.each([
    ["CHAINVISOR_ON_REFUSAL=bogus", "wrong", "CHAINVISOR_ON_REFUSAL"],
    ["DAEMON_DATA_BACKUP_DIR=/no/such", "wrong", '"/no/such" must be a valid directory'],
    ["COSMOVISOR_CUSTOM_PREUPGRADE=nope.sh", "wrong", "COSMOVISOR_CUSTOM_PREUPGRADE"],
    ["CHAINVISOR_ON_REFUSALS=stop", "warning", "there is no variable CHAINVISOR_ON_REFUSALS"],
  ])("a unit file with %s → %s, with the words of the settings", (variable, level, words) => {
    const { home, put } = goodHome();
    const unit = unitOf(home).replace(/^User=/m, `Environment=${variable}\nUser=`);
    const found = look(home, { units: [put("u.service", unit)] });
    expect(found).toEqual([expect.stringContaining(words)]);
    expect(found[0]).toContain(`${level} unit`);
  });

  test.each([
    ["run status", "its ExecStart is `run status`"],
    ["run", "its ExecStart is `run`"],
    ["status", "its ExecStart is another command than `run`"],
  ])("a unit file that starts `%s` → `run start` runs the node", (command, words) => {
    const { home, put } = goodHome();
    const unit = unitOf(home).replace("chainvisor.js run start", `chainvisor.js ${command}`);
    expect(look(home, { units: [put("u.service", unit)] })).toEqual([expect.stringContaining(words)]);
  });

  test("a script whose program is in no folder of the service's PATH → wrong; in the unit's or the script's PATH, or absolute → right", () => {
    const { home, put } = goodHome();
    const chaind = put("opt/chaind-of-test", "#!/bin/sh\n");
    const lookWith = (script: string, set = "") => {
      put("cosmovisor/genesis/bin/n", `#!/bin/sh\n${script}\n`);
      return look(home, { units: [put("u.service", unitOf(home).replace(/^User=/m, `${set}\nUser=`))] });
    };
    const byName = 'exec chaind-of-test "$@"';
    expect(lookWith(byName)).toEqual([
      expect.stringMatching(
        /^wrong unit: .*cosmovisor\/current\/bin\/n runs chaind-of-test, which is in no folder of the service's PATH \(\/usr\/local\/sbin:/,
      ),
    ]);
    expect(lookWith(byName, `Environment=PATH=/usr/bin:${home}/opt`)).toEqual([]);
    expect(lookWith(byName, "Environment=PATH=%h/opt:/usr/bin")).toEqual([]);
    expect(lookWith(byName, `ExecSearchPath=/usr/bin:${home}/opt`)).toEqual([]);
    expect(lookWith(byName, "ExecSearchPath=/usr/bin")).toEqual([expect.stringContaining("PATH (/usr/bin)")]);
    expect(lookWith(`export PATH=/bin:${home}/opt\n${byName}`)).toEqual([]);
    expect(lookWith(`exec ${chaind} "$@"`)).toEqual([]);
    expect(lookWith(`exec ${home}/opt/none "$@"`)).toEqual([
      expect.stringContaining(`${home}/opt/none, which is missing`),
    ]);
    put("opt/chaind-of-test", "#!/usr/bin/env node-of-test\n");
    expect(lookWith(`exec ${chaind} "$@"`)).toEqual([
      expect.stringContaining("runs node-of-test, which is in no folder"),
    ]);
  });

  test("a unit file that names home and program by flags, or by its variables → right", () => {
    const { home, put } = goodHome();
    const flags = unitOf(home)
      .replace(/^Environment=.*$/gm, "")
      .replace("chainvisor.js run", `chainvisor.js --home ${home} --name=n run`);
    expect(look(home, { units: [put("u.service", flags)] })).toEqual([]);
    const variables = unitOf(home)
      .replace("run start", "run $WORDS --x $$")
      .replace("User=", "Environment=WORDS=start\nUser=");
    expect(look(home, { units: [put("u.service", variables)] })).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("a unit file whose user cannot read the key → named with owner and mode", () => {
    const { home, put } = goodHome();
    put("config/priv_validator_key.json", "{}", 0o600);
    const unit = unitOf(home).replace("User=root", "User=nobody");
    const [found = ""] = look(home, { units: [put("u.service", unit)] });
    expect(found).toMatch(/^wrong unit: .*its user nobody cannot /);
    expect(found).toMatch(/priv_validator_key\.json|\d more/);
  });
});
