/** The specification's command lines, word for word, before a plan: answers, refusals, and a transaction made without a node. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Running } from "./chaind.js";
import { CommandLine, stopped } from "./command-line.js";
import { BOB, GOV, startDemoChain } from "./demo-chain.js";

const line = new CommandLine();
let node: Running | undefined;

beforeAll(async () => {
  ({ node } = await startDemoChain(line));
}, 120_000);

afterAll(async () => {
  if (node) await stopped(node);
});

describe("before a plan", () => {
  test("query upgrade --help → lists the query commands", async () => {
    const help = await line.run(["query", "upgrade", "--help"]);
    expect(help).toMatchObject({ exit: 0, stderr: "" });
    expect(help.stdout).toMatchInlineSnapshot(`
      "Querying commands for the upgrade module

      Usage:
        chaind query upgrade [flags]
        chaind query upgrade [command]

      Available Commands:
        applied           Query the block header for height at which a completed upgrade was applied
        authority         Query the account that may schedule and cancel upgrades
        module_versions   Query the list of module versions
        plan              Query the upgrade plan (if one exists)
        progress          Query how far the upgrade has come that the node is making
        readiness         Query how much power has attested a plan, with which file and result
        receipt           Query what the handler of a completed upgrade did, with its proof

      Flags:
        -h, --help   help for upgrade

      Global Flags:
            --chain-id string     chain id (default: that of client.toml, else the node's)
            --home string         folder of configuration and data (default "~/.chaind")
            --log_format string   format of logs (plain|json) (default "plain")
            --log_level string    least level of logs (trace|debug|info|warn|error|fatal|silent) (default "info")
            --log_no_color        logs without colours, on a terminal too
        -o, --output string       format of results (default: text, of tx json); --json is the same as -o json (text|json)
            --trace               print the stack of errors

      Use "chaind query upgrade [command] --help" for more information about a command.
      "
    `);
  });

  test.each<[string, string, object]>([
    ["query upgrade plan", "no upgrade scheduled\n", { plan: null }],
    ["q upgrade plan --height 1", "no upgrade scheduled\n", { plan: null }],
    [
      "query staking params",
      'params:\n  bond_denom: ustake\n  historical_entries: 10000\n  max_entries: 7\n  max_validators: 7\n  min_commission_rate: "0.000000000000000000"\n  unbonding_time: 60s\n',
      {
        params: {
          ...{ unbonding_time: "60s", max_validators: 7, max_entries: 7, historical_entries: 10_000 },
          ...{ bond_denom: "ustake", min_commission_rate: "0.000000000000000000" },
        },
      },
    ],
    ["query upgrade authority", `address: ${GOV}\n`, { address: GOV }],
    [
      "query upgrade module_versions bank",
      'module_versions:\n- name: bank\n  version: "1"\n',
      { module_versions: [{ name: "bank", version: "1" }] },
    ],
    [
      "query upgrade module-versions",
      ["auth", "bank", "gov", "staking", "upgrade"].reduce(
        (text, name) => `${text}- name: ${name}\n  version: "1"\n`,
        "module_versions:\n",
      ),
      { module_versions: ["auth", "bank", "gov", "staking", "upgrade"].map((name) => ({ name, version: "1" })) },
    ],
  ])("%s", async (words, text, json) => {
    expect(await line.text(...words.split(" "))).toBe(text);
    expect(await line.json(...words.split(" "))).toEqual(json);
  });

  test.each<[string, number, string]>([
    ["query upgrade applied v2", 3, "no upgrade found"],
    ["query upgrade receipt v2", 3, "no receipt"],
    ["query upgrade module_versions nope", 3, "module version not found"],
    ["query upgrade plan --height 999999", 3, "999999"],
    ["query block 999999", 3, "must be less than or equal to the current blockchain height"],
    ["query block-results 999999", 3, "current blockchain height"],
    ["query upgrade applied", 2, "accepts 1 arg(s), received 0"],
    ["query upgrade nope", 2, 'unknown command "nope" for "chaind query upgrade"'],
    ["query upgrade plna", 2, 'did you mean "plan"?'],
    ["query upgrade plan --nope", 2, "unknown flag: --nope"],
    ["query upgrade plan --height x", 2, 'invalid argument "x" for "--height" flag'],
    ["query upgrade plan --height", 2, "flag needs an argument: --height"],
    ["query upgrade plan -o yaml", 2, "--output"],
    ["query upgrade plan --node tcp://127.0.0.1:1", 1, "connection refused"],
    ["query upgrade plan --node nonsense://x", 2, "nonsense"],
    ["query tx nope", 2, "64 hex digits"],
    [`query tx ${"0".repeat(64)}`, 3, "not found"],
    ["query gov proposal 9", 3, "proposal 9 doesn't exist"],
    ["query gov proposal x", 2, "proposal-id"],
    ["query auth account nope", 2, "bech32"],
    ["tx upgrade nope", 2, 'unknown command "nope" for "chaind tx upgrade"'],
    ["tx upgrade software-upgrade", 2, "accepts 1 arg(s), received 0"],
    ["tx upgrade software-upgrade v9 --title t --summary s", 2, 'required flag(s) "upgrade-height" not set'],
    [
      "tx upgrade software-upgrade v9 --upgrade-height 500 --from alice --summary s",
      2,
      'required flag(s) "title" not set',
    ],
    ["tx upgrade cancel-software-upgrade --from alice", 2, 'required flag(s) "title" not set'],
    ["tx upgrade software-upgrade v9 --title t --summary s --upgrade-height -5 --from alice", 2, "greater than 0"],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height abc --from alice",
      2,
      'invalid argument "abc"',
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice",
      2,
      "plan info must not be blank",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice --upgrade-info {}",
      2,
      'no "binaries" entries found',
    ],
    [
      'tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --from alice --upgrade-info {"binaries":{"linux/amd64":"http://127.0.0.1:1/x"}}',
      2,
      "missing checksum query parameter",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --deposit 12 --no-validate --from alice",
      2,
      "invalid deposit",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate --from alice --authority cosmos1bad",
      2,
      "invalid authority address",
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate --from nobody",
      3,
      'no key "nobody"',
    ],
    [
      "tx upgrade software-upgrade v9 --title t --summary s --upgrade-height 500 --no-validate",
      2,
      'required flag(s) "from" not set',
    ],
    ["tx bank send alice nope 5ustake", 3, 'there is no key "nope" in the keyring'],
    [`tx bank send alice ${BOB} 5`, 2, "invalid decimal coin expression: 5"],
    [`tx bank send alice ${BOB} 5ustake`, 2, "--yes"],
    [`tx bank send alice ${BOB} 5ustake -y --chain-id other-1`, 2, "other-1"],
    [`tx bank send alice ${BOB} 999999999999ustake -y --gas 200000 -b block`, 1, "insufficient funds"],
    ["tx gov vote 1 maybe --from alice", 2, "not a valid vote option"],
  ])("%s → exit %i, one line on stderr, JSON with -o json", async (words, exit, message) => {
    const args = words.match(/\{.*\}|\S+/g) ?? [];
    const asText = await line.run(args);
    expect(asText.exit, asText.stderr).toBe(exit);
    expect(asText.stderr).toContain(message);
    expect(asText.stderr.trimEnd().split("\n").at(-1)).toMatch(/^Error: .* \[UPG_[A-Z_]+\]$/);
    if (words.includes("-o yaml")) return;
    const asJson = await line.run(["-o", "json", ...args]);
    expect(asJson.exit, asJson.stderr).toBe(exit);
    const error = JSON.parse(asJson.stderr.trimEnd().split("\n").at(-1) ?? "") as Record<string, string>;
    // Of what the chain refused, its codespace, code and log too.
    const isOfChain = words.startsWith("tx ") && exit === 1;
    expect(Object.keys(error)).toEqual(["error", "code", ...(isOfChain ? ["tx"] : [])]);
    expect(error["error"]).toContain(message);
    if (asJson.stdout !== "") JSON.parse(asJson.stdout);
  });

  test("--generate-only → the Cosmos SDK's unsigned transaction, byte for byte, without a node", async () => {
    const end = await line.run(
      [
        ...["tx", "upgrade", "software-upgrade", "v9", "--title", "t", "--summary", "s", "--deposit", "1000stake"],
        ...["--upgrade-height", "500", "--upgrade-info", "some text", "--no-validate", "--generate-only"],
        ...["--from", BOB, "--node", "tcp://127.0.0.1:1"],
      ],
      "",
    );
    expect(end).toMatchObject({ exit: 0, stderr: "" });
    expect(end.stdout).toBe(
      `{"body":{"messages":[{"@type":"/cosmos.gov.v1.MsgSubmitProposal","messages":[{"@type":"/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade","authority":"${GOV}","plan":{"name":"v9","time":"0001-01-01T00:00:00Z","height":"500","info":"some text","upgraded_client_state":null}}],"initial_deposit":[{"denom":"stake","amount":"1000"}],"proposer":"${BOB}","metadata":"","title":"t","summary":"s","expedited":false}],"memo":"","timeout_height":"0","unordered":false,"timeout_timestamp":null,"extension_options":[],"non_critical_extension_options":[]},"auth_info":{"signer_infos":[],"fee":{"amount":[],"gas_limit":"200000","payer":"","granter":""},"tip":null},"signatures":[]}\n`,
    );
  });
});
