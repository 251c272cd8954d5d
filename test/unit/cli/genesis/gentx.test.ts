import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createValidatorMessage, VALIDATOR_DEFAULTS } from "../../../../host/cli/client/tx/create-validator.js";
import { initHome } from "../../../../host/cli/commands/init.js";
import { requireMessageTerms } from "../../../../host/cli/genesis/create-validator.js";
import { gentx } from "../../../../host/cli/genesis/gentx.js";
import { validateGenesis } from "../../../../host/cli/genesis/validate.js";
import { exampleChain } from "../../../example-chain.js";
import { exampleContext } from "../../../example-context.js";
import { runHere } from "../run-here.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-gentx-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const KEYRING = ["--keyring-backend", "test"];
const POOL = "cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh";
const RATE = "0.100000000000000000";
let homes = 0;
let one = "";
let two = "";

interface Validator {
  operator_address: string;
  tokens: string;
  consensus_pubkey: unknown;
  description: { moniker: string };
  commission: { commission_rates: { rate: string } };
}
interface Document {
  app_state: {
    bank: { balances: { address: string; coins: { amount: string }[] }[] };
    staking: { validators: Validator[] };
  };
}

const state = (home: string) =>
  (JSON.parse(readFileSync(join(home, "config/genesis.json"), "utf8")) as Document).app_state;
const gentxFiles = (home: string) =>
  readdirSync(join(home, "config/gentx")).map((name) => join(home, "config/gentx", name));
const refused = (...args: string[]) =>
  runHere(...args).then(
    () => {
      throw new Error("it was not refused");
    },
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );

/** Two homes of one chain, each with its operator's key, in whose document both have coins. */
beforeEach(async () => {
  [one, two] = [join(root, `${homes}-one`), join(root, `${homes++}-two`)];
  for (const [home, moniker] of [
    [one, "one"],
    [two, "two"],
  ] as const) {
    initHome(exampleChain, { home, chainId: "demo-1", moniker });
    const { address } = (await runHere("keys", "add", "op", ...KEYRING, "--home", home)) as { address: string };
    await runHere("genesis", "add-account", address, "1000000000ustake", "--home", one);
  }
  cpSync(join(one, "config/genesis.json"), join(two, "config/genesis.json"));
});

async function signBoth(): Promise<void> {
  await runHere("genesis", "gentx", "op", "100000000ustake", ...KEYRING, "--home", one);
  await runHere("genesis", "gentx", "op", "300000000ustake", "--ip", "10.0.0.2", ...KEYRING, "--home", two);
  for (const file of gentxFiles(two)) cpSync(file, file.replace(two, one));
}

describe("genesis gentx, collect-gentxs", () => {
  test("two operators → two validators, peers, coins in the account of bonded tokens; a second time → nothing changes", async () => {
    await signBoth();
    const collected = await runHere("genesis", "collect-gentxs", "--home", one);
    expect(collected).toMatchObject({ moniker: "one", chain_id: "demo-1", validators: { length: 2 } });
    const text = readFileSync(join(one, "config/genesis.json"), "utf8");
    expect(validateGenesis(exampleChain, one)).toMatchObject({ validators: "2", delegations: "2" });
    const { staking, bank } = state(one);
    const byMoniker = Object.fromEntries(staking.validators.map((each) => [each.description.moniker, each]));
    expect(byMoniker["one"]?.tokens).toBe("100000000");
    expect(byMoniker["two"]?.tokens).toBe("300000000");
    expect(byMoniker["two"]?.commission.commission_rates.rate).toBe(RATE);
    expect(byMoniker["two"]?.consensus_pubkey).toEqual(await runHere("comet", "show-validator", "--home", two));
    expect(bank.balances.map(({ coins }) => coins[0]?.amount)).toEqual(["900000000", "700000000", "400000000"]);
    expect(bank.balances[2]?.address).toBe(POOL);
    const { node_id } = (await runHere("tendermint", "show-node-id", "--home", two)) as { node_id: string };
    expect(readFileSync(join(one, "config/config.toml"), "utf8")).toContain(
      `persistent_peers = "${node_id}@10.0.0.2:26656"`,
    );
    expect(await runHere("genesis", "collect-gentxs", "--home", one)).toMatchObject({ validators: [] });
    expect(readFileSync(join(one, "config/genesis.json"), "utf8")).toBe(text);
  });

  test("the file → what the Cosmos SDK writes: one MsgCreateValidator, the node as memo, SIGN_MODE_DIRECT", async () => {
    await runHere("genesis", "gentx", "op", "5000000ustake", "--moniker", "m", ...KEYRING, "--home", one);
    const { node_id } = (await runHere("comet", "show-node-id", "--home", one)) as { node_id: string };
    const [file = ""] = gentxFiles(one);
    expect(file).toContain(`gentx-${node_id}.json`);
    const tx = JSON.parse(readFileSync(file, "utf8"));
    expect(tx).toMatchObject({
      body: {
        messages: [
          {
            "@type": "/cosmos.staking.v1beta1.MsgCreateValidator",
            description: { moniker: "m" },
            commission: { rate: RATE, max_rate: "0.200000000000000000", max_change_rate: "0.010000000000000000" },
            min_self_delegation: "1",
            delegator_address: "",
            validator_address: expect.stringMatching(/^cosmosvaloper1/),
            pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey" },
            value: { denom: "ustake", amount: "5000000" },
          },
        ],
        memo: `${node_id}@127.0.0.1:26656`,
      },
      auth_info: { signer_infos: [{ mode_info: { single: { mode: "SIGN_MODE_DIRECT" } }, sequence: "0" }] },
      signatures: [expect.any(String)],
    });
  });

  test("a changed amount, another chain's signature, another message, no JSON, no file → refused by name, nothing written", async () => {
    await signBoth();
    const [file = ""] = gentxFiles(two);
    const copy = file.replace(two, one);
    const signed = readFileSync(file, "utf8");
    const before = readFileSync(join(one, "config/genesis.json"), "utf8");
    const cases: [string, string][] = [
      [signed.replace("300000000", "400000000"), "signature verification failed"],
      [signed.replace(RATE, "0.150000000000000000"), "signature verification failed"],
      [signed.replace("MsgCreateValidator", "MsgOther"), "UPG_INVALID_TX"],
      [signed.replace(/"memo":"[^"]*"/, '"memo":"x"'), "signature verification failed"],
      [signed.replace(/"signatures":\[.*\]/, '"signatures":[]'), "expected the signature"],
      ["{", "JSON"],
      ["", "JSON"],
    ];
    for (const [text, what] of cases) {
      writeFileSync(copy, text);
      const refusal = await refused("genesis", "collect-gentxs", "--home", one);
      expect(refusal).toContain(what);
      expect(refusal).toMatch(/^UPG_INVALID_TX .*gentx-[0-9a-f]{40}\.json: /);
    }
    expect(readFileSync(join(one, "config/genesis.json"), "utf8")).toBe(before);
    expect(await refused("genesis", "collect-gentxs", "--home", one, "--gentx-dir", join(root, "none"))).toMatch(
      /^UPG_INVALID_ARGUMENT .*holds no gentx/,
    );
  });

  test("config.toml is absent, or has settings and comments → peers where they belong; it is damaged → refused, nothing written", async () => {
    await signBoth();
    const file = join(one, "config/config.toml");
    const collect = async () => {
      await runHere("genesis", "collect-gentxs", "--home", one);
      return readFileSync(file, "utf8");
    };
    const { node_id } = (await runHere("comet", "show-node-id", "--home", two)) as { node_id: string };
    const line = `persistent_peers = "${node_id}@10.0.0.2:26656"\n`;
    const before = readFileSync(join(one, "config/genesis.json"), "utf8");
    writeFileSync(file, "[p2p\n");
    expect(await refused("genesis", "collect-gentxs", "--home", one)).toMatch(
      /^UPG_INVALID_CONFIG .*config\.toml, line 1/,
    );
    expect(readFileSync(join(one, "config/genesis.json"), "utf8")).toBe(before);
    rmSync(file);
    expect(await collect()).toMatch(/^# Settings of CometBFT\. .*\n\n\[p2p\]\n# .*\n/);
    expect(await collect()).toContain(`\n${line}`);
    const head = '[p2p] # peers\n# where to listen\nladdr = "tcp://0.0.0.0:1"\n';
    const rest = "\n# transactions that wait\n[mempool]\nsize = 7\n";
    writeFileSync(file, head + rest);
    expect(await collect()).toBe(head + line + rest);
    writeFileSync(file, `[p2p]\n${rest}`);
    expect(await collect()).toBe(`[p2p]\n${line}${rest}`);
  });

  test("a port that is none in the memo → refused by the file's name", async () => {
    await gentx(exampleContext, one, "op", "100000000ustake", {
      ...{ ...VALIDATOR_DEFAULTS, keyringBackend: "test", ip: "10.0.0.1", p2pPort: 70_000 },
    });
    expect(await refused("genesis", "collect-gentxs", "--home", one)).toMatch(
      /^UPG_INVALID_TX .*gentx-[0-9a-f]{40}\.json: the memo ".*:70000" is no node-id@host:port/,
    );
  });

  test("terms that another program signed and the Cosmos SDK refuses → UPG_INVALID_ARGUMENT; those of gentx → taken", () => {
    const coin = { denom: "ustake", amount: 5_000_000n };
    const facts = { account: new Uint8Array(20), consensusKey: new Uint8Array(32), coin, moniker: "m" };
    const message = createValidatorMessage(exampleChain, facts, VALIDATOR_DEFAULTS);
    expect(() => requireMessageTerms(message, coin)).not.toThrow();
    const { commission, ...others } = message;
    const one = 10n ** 18n;
    for (const wrong of [
      { ...others, commission: commission && { ...commission, rate: String(one / 2n) } },
      { ...others, commission: commission && { ...commission, maxRate: String(one + 1n) } },
      { ...others, commission: commission && { ...commission, rate: "-1" } },
      { ...message, minSelfDelegation: "" },
      { ...message, minSelfDelegation: "5000001" },
    ]) {
      expect(() => requireMessageTerms(wrong, coin)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    }
  });

  test("a number that JSON does not keep exactly, where nobody reads it → refused by its path, nothing written", async () => {
    const file = join(one, "config/genesis.json");
    const text = readFileSync(file, "utf8");
    for (const [number, isKept] of [
      ["9007199254740993", false],
      ["0.12345678901234567890", false],
      ["9007199254740992", true],
      ['"1,9007199254740993,2"', true],
    ] as const) {
      writeFileSync(file, text.replace("{", `{"app_name":{"list":[1,${number}]},`));
      const changed = runHere("genesis", "add-account", "op", "1ustake", "--append", ...KEYRING, "--home", one);
      if (isKept) await changed;
      else await expect(changed).rejects.toThrow(`genesis.app_name.list[1]: the number ${number} has more digits`);
      expect(readFileSync(file, "utf8").includes(number)).toBe(true);
    }
  });

  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["op", "1000000001ustake"], "holds 1000000000ustake"],
    [["op", "999999ustake"], "gives no power"],
    [["op", "100000000uatom"], "bonded in ustake"],
    [["op", "1ustake,2uatom"], "expected one coin"],
    [["op", "x"], "invalid decimal coin expression"],
    [["op", "100000000ustake", "--chain-id", "other"], "is of the chain demo-1"],
    [["op", "100000000ustake", "--ip", "a b"], '"--ip" flag'],
    [["op", "100000000ustake", "--p2p-port", "0"], "expected a port"],
    [["op", "100000000ustake", "--p2p-port", "65536"], "expected a port"],
    [["op", "100000000ustake", "--node-id", "x"], '"--node-id" flag'],
    [["op", "100000000ustake", "--commission-rate", "0.3"], "cannot be more than the max rate"],
    [["op", "100000000ustake", "--commission-max-rate", "1.1"], "--commission-max-rate"],
    [["op", "100000000ustake", "--min-self-delegation", "0"], "must be a positive integer"],
    [["op", "100000000ustake", "--min-self-delegation", "100000001"], "below --min-self-delegation"],
    [["op", "100000000ustake", "--moniker", "m".repeat(71)], "1 to 70 characters"],
    [["op", "100000000ustake", "--pubkey", "{}"], "no consensus key"],
    [["nobody", "100000000ustake"], "UPG_NOT_FOUND_KEY"],
  ];

  test("gentx with an amount, a rate, an address, a key that is wrong → each refused by name", async () => {
    for (const [args, what] of wrong) {
      expect(await refused("genesis", "gentx", ...args, ...KEYRING, "--home", one)).toContain(what);
    }
  });
});

test("genesis add-validator with another node's key → its validator; an account without coins, a second one → refused", async () => {
  const pubkey = JSON.stringify(await runHere("comet", "show-validator", "--home", two));
  const { address } = ((await runHere("keys", "list", ...KEYRING, "--home", two)) as { address: string }[])[0] ?? {};
  const add = ["genesis", "add-validator", address ?? "", "200000000ustake", "--moniker", "two", "--home", one];
  expect(await runHere(...add, "--pubkey", pubkey)).toMatchObject({ tokens: "200000000ustake" });
  expect(state(one).staking.validators[0]).toMatchObject({ description: { moniker: "two" }, tokens: "200000000" });
  expect(await refused(...add, "--pubkey", pubkey)).toMatch(/^UPG_INVALID_ARGUMENT .*operates a validator already/);
  const unknown = "cosmos15pr9t0halmcqsc3fpujk2eanwnqw4qv03kk9y7";
  expect(await refused("genesis", "add-validator", unknown, "2000000ustake", "--home", one)).toContain(
    "is not in the genesis document",
  );
});

test("comet show-address → the validator's consensus address; rollback of a home without a chain → UPG_INVALID_CONFIG", async () => {
  expect(await runHere("comet", "show-address", "--home", one)).toEqual({
    address: expect.stringMatching(/^cosmosvalcons1/),
  });
  expect(await refused("comet", "rollback", "--comet.bin", process.execPath, "--home", one)).toContain(
    "UPG_INVALID_CONFIG",
  );
});
