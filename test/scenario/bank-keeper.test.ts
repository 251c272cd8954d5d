/** bankKeeper(): a module of a chain's own takes coins into its account, pays them out, mints and burns; the supply adds up. */
import { describe, expect, test } from "vitest";
import { MsgAddNoteResponseSchema, MsgAddNoteSchema } from "../../examples/notes-chain/gen/notes_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { App, type TxResult } from "../../host/chain/app/app.js";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { messageKind } from "../../host/chain/app/tx/message-kind.js";
import { auth } from "../../host/chain/modules/auth/module.js";
import { storeBank } from "../../host/chain/modules/bank/bank.js";
import { type BankKeeper, bankKeeper } from "../../host/chain/modules/bank/keeper.js";
import { bank } from "../../host/chain/modules/bank/module.js";
import { soundSupply } from "../../host/chain/modules/bank/supply-invariant.js";
import { FEE_COLLECTOR } from "../../host/chain/modules/bank/transfer.js";
import { gov } from "../../host/chain/modules/gov/module.js";
import { staking } from "../../host/chain/modules/staking/module.js";
import { upgrade } from "../../host/chain/modules/upgrade/module.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { formatCoins } from "../../host/chain/values/coins.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { Core } from "../../host/upgrade/core/core.js";
import { encodeAddress } from "../addresses.js";
import { genesisDocument } from "./genesis-text.js";
import { pack, Signer } from "./wallet.js";

const ACCOUNT_NUMBER = 500n;
const alice = new Signer("alice");
const FEES = encodeAddress(moduleAddress(sha256, FEE_COLLECTOR));

/** A message of one module does with the bank what the test says: `text` names it. */
type Actions = Readonly<Record<string, (bank: BankKeeper, author: string) => void>>;

class Program {
  readonly app: App;
  #sequence = 0n;

  constructor(permissions: readonly string[], actions: Actions) {
    const vault: Module = { name: "vault", consensusVersion: 1n, account: { permissions }, stores: [], messages: [] };
    const act = messageKind({
      schema: MsgAddNoteSchema,
      response: MsgAddNoteResponseSchema,
      signer: "author",
      // The test counts what it is asked: it is not tried on less stack first.
      isBounded: true,
      run(context, { author, text }) {
        actions[text]?.(bankKeeper(context, vault), author);
        return undefined;
      },
    });
    const modules = [auth(), bank(), staking(), gov(), upgrade(), { ...vault, messages: [act] }];
    const chain = defineChain({ name: "vaultd", modules });
    const document = genesisDocument();
    const state = document["app_state"] as Record<string, Record<string, unknown[]>>;
    const account = { address: alice.address, account_number: String(ACCOUNT_NUMBER), sequence: "0" };
    state["auth"]?.["accounts"]?.push({ "@type": "/cosmos.auth.v1beta1.BaseAccount", ...account });
    state["bank"]?.["balances"]?.push({ address: alice.address, coins: [{ denom: "ustake", amount: "1000" }] });
    const genesis = parseGenesis(chain, JSON.stringify(document));
    this.app = new App({ chain, database: new MemoryDatabase(), genesis, sha256, core: new Core() });
    this.app.load();
  }

  /** A block with the action; its result. */
  act(text: string): TxResult {
    const { app } = this;
    const message = pack(MsgAddNoteSchema, { author: alice.address, text });
    const facts = { chainId: "scenario-1", accountNumber: ACCOUNT_NUMBER, sequence: this.#sequence++ };
    const time = { seconds: 1_700_000_000n + app.nextHeight, nanos: 0 };
    const [result] = app.finalizeBlock({ height: app.nextHeight, time, txs: [alice.sign([message], facts)] }).txResults;
    app.commit();
    expect(soundSupply.check(app.multiStore)).toBeUndefined();
    return result as TxResult;
  }

  coins(address: Uint8Array): string {
    return formatCoins(storeBank.balances(this.app.multiStore, address));
  }
}

const own = moduleAddress(sha256, "vault");
const ustake = (amount: bigint | string) => [{ denom: "ustake", amount }];
const gold = (amount: bigint) => [{ denom: "gold", amount }];
const typesOf = ({ events }: TxResult) => events.map(({ type }) => type);

describe("bankKeeper()", () => {
  test("escrow, then a part paid back → both accounts, the Cosmos SDK's events, the address of the name", () => {
    const seen: unknown[] = [];
    const program = new Program([], {
      escrow: (coins, author) => coins.sendToModule(author, ustake("30")),
      pay(coins, author) {
        coins.sendFromModule(author, ustake(10n));
        seen.push(coins.address, coins.balance(author, "ustake"), coins.balances(coins.address), coins.supply("none"));
      },
    });
    const escrow = program.act("escrow");
    expect([escrow.code, program.coins(own), program.coins(alice.addressBytes)]).toEqual([0, "30ustake", "970ustake"]);
    expect(typesOf(escrow)).toEqual(expect.arrayContaining(["coin_spent", "coin_received", "transfer"]));
    expect(program.act("pay").code).toBe(0);
    expect(program.coins(own)).toBe("20ustake");
    expect(seen).toEqual([encodeAddress(own), 980n, [{ denom: "ustake", amount: 20n }], 0n]);
  });

  test("minter and burner → coins made and destroyed in the module's account, coinbase and burn, the supply follows", () => {
    const supplies: bigint[] = [];
    const program = new Program(["minter", "burner"], {
      mint: (coins) => coins.mint(gold(7n)),
      pay: (coins, author) => coins.sendFromModule(author, gold(2n)),
      burn: (coins) => coins.burn(gold(5n)),
      supply: (coins) => void supplies.push(coins.supply("gold")),
    });
    const minted = program.act("mint");
    const attributes = [
      { key: "minter", value: encodeAddress(own) },
      { key: "amount", value: "7gold" },
      { key: "msg_index", value: "0" },
    ];
    expect(minted.events).toContainEqual({ type: "coinbase", attributes });
    program.act("pay");
    expect(program.coins(alice.addressBytes)).toBe("2gold,1000ustake");
    expect(typesOf(program.act("burn"))).toContain("burn");
    program.act("supply");
    expect([program.coins(own), supplies]).toEqual(["", [2n]]);
  });

  test("no permission, too few coins, wrong coins, a blocked receiver, too large a supply → refused, nothing changed", () => {
    const program = new Program(["minter"], {
      burn: (coins) => coins.burn(ustake(1n)),
      poor: (coins, author) => coins.sendFromModule(author, ustake(1n)),
      none: (coins, author) => coins.sendToModule(author, []),
      negative: (coins, author) => coins.sendToModule(author, ustake(-1n)),
      decimal: (coins, author) => coins.sendToModule(author, ustake("1.5")),
      nobody: (coins, author) => coins.send(author, "nobody", ustake(1n)),
      fees(coins, author) {
        coins.sendToModule(author, ustake(1n));
        coins.sendFromModule(FEES, ustake(1n));
      },
      all: (coins) => coins.mint(gold(2n ** 256n - 1n)),
      more: (coins) => coins.mint(gold(1n)),
    });
    for (const [action, code, log] of [
      ["burn", 4, "module account vault does not have permissions to burn tokens"],
      ["poor", 5, "spendable balance 0ustake is smaller than 1ustake"],
      ["none", 10, "invalid coins"],
      ["negative", 10, "an amount cannot be negative"],
      ["decimal", 10, "an amount is a decimal integer"],
      ["nobody", 7, "invalid address"],
      ["fees", 4, "is not allowed to receive funds"],
      ["all", 0, ""],
      ["more", 10, "the supply of gold would have more than 256 bits"],
    ] as const) {
      const result = program.act(action);
      expect([result.codespace, result.code], action).toEqual([code === 0 ? "" : "sdk", code]);
      expect(result.log, action).toContain(log);
    }
    expect([program.coins(alice.addressBytes), formatCoins(storeBank.balances(program.app.multiStore, own))]).toEqual([
      "1000ustake",
      `${2n ** 256n - 1n}gold`,
    ]);
    const minter = new Program([], { mint: (coins) => coins.mint(gold(1n)) }).act("mint");
    expect([minter.code, minter.log]).toEqual([4, expect.stringContaining("permissions to mint tokens")]);
  });
});
