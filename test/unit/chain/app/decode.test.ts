/** The strict decoder of transactions, where the vectors are silent: repetitions, depth, size, texts. */
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MsgSendSchema } from "../../../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { MsgSubmitProposalSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from "../../../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { concatBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { TX_BYTES_MAX } from "../../../../host/base/types/limits.js";
import { WireWriter } from "../../../../host/base/wire/wire.js";
import { decodeTx } from "../../../../host/chain/app/tx/decode.js";
import { TxError } from "../../../../host/chain/values/tx-error.js";
import { exampleChain } from "../../../example-chain.js";
import { type Packed, pack, Signer, send } from "../../../scenario/wallet.js";

const ALICE = new Signer("alice");
const options = { chainId: "c-1", accountNumber: 0n, sequence: 0n };

function refusalOf(bytes: Uint8Array): string {
  try {
    decodeTx(bytes, exampleChain);
  } catch (error) {
    if (error instanceof TxError) return `${error.abci.codespace} ${error.abci.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

function raw(
  bodyBytes: Uint8Array,
  authInfoBytes: Uint8Array = toBinary(AuthInfoSchema, create(AuthInfoSchema, { fee: {} })),
) {
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [new Uint8Array(64)] }));
}

const body = (...messages: Packed[]) => toBinary(TxBodySchema, create(TxBodySchema, { messages }));

/** A message's bytes with some more after them, which protobuf reads as one message. */
const extended = ({ typeUrl, value }: Packed, more: WireWriter): Packed => ({
  typeUrl,
  value: concatBytes(value, more.finish()),
});

const SEND = send(ALICE, ALICE.address, 1);

describe("decodeTx()", () => {
  test("a signed MsgSend → its parts as they came", () => {
    const bytes = ALICE.sign([SEND], { ...options, memo: "hello" });
    const tx = decodeTx(bytes, exampleChain);
    expect(tx.body.memo).toBe("hello");
    expect(tx.signers).toEqual([ALICE.addressBytes]);
    expect(tx.size).toBe(bytes.length);
    expect(toBinary(TxRawSchema, tx.raw)).toEqual(bytes);
  });

  for (const [what, bytes] of [
    ["from_address twice", raw(body(extended(SEND, new WireWriter().string(1, ALICE.address))))],
    ["fee twice", raw(body(SEND), new WireWriter().message(2, new Uint8Array()).message(2, new Uint8Array()).finish())],
    ["memo twice", raw(concatBytes(body(SEND), new WireWriter().string(2, "a").string(2, "b").finish()))],
    ["both kinds of a mode", raw(body(SEND), modeTwice())],
  ] as const) {
    test(`${what} → sdk 2, occurs twice`, () => expect(refusalOf(bytes)).toMatch(/^sdk 2 field .* occurs twice/));
  }

  test("another wire type than the Cosmos SDK has → sdk 2 that names both", () => {
    const bytes = raw(body(extended(SEND, new WireWriter().tag(3, 0).varint(1n))));
    expect(refusalOf(bytes)).toContain('TagNum: 3, GotWireType: "varint" != WantWireType: "bytes"');
  });

  test("a memo that is not UTF-8 → sdk 2", () => {
    const bytes = raw(concatBytes(body(SEND), new WireWriter().bytes(2, Uint8Array.of(0xff, 0xfe)).finish()));
    expect(refusalOf(bytes)).toContain("field memo of cosmos.tx.v1beta1.TxBody is not UTF-8");
  });

  for (const amount of ["x", "1.5", "0x10", `${2n ** 256n}`, "1".repeat(100_000)]) {
    test(`an amount ${amount.slice(0, 12)} of ${amount.length} characters → sdk 2`, () => {
      const coin = new WireWriter().string(1, "ustake").string(2, amount).finish();
      expect(refusalOf(raw(body(extended(SEND, new WireWriter().message(3, coin)))))).toMatch(/^sdk 2 /);
    });
  }

  test("proposals within proposals, without end → sdk 2, and no stack is used up", () => {
    let message = SEND;
    for (let depth = 0; depth < 2_000; depth++) {
      message = pack(MsgSubmitProposalSchema, { messages: [message], proposer: ALICE.address });
      if (message.value.length > 500_000) break;
    }
    expect(refusalOf(raw(body(message)))).toContain("maximum recursion depth exceeded");
  });

  test("half a million empty coins → decoded; how deep a stack is says nothing about a transaction", () => {
    const coins = new WireWriter();
    for (let index = 0; index < 500_000; index++) coins.message(3, new Uint8Array());
    expect(refusalOf(raw(body(extended(SEND, coins))))).toBe("accepted");
  });

  test("one signer written in small letters and in capitals → one signer", () => {
    const capitals = pack(MsgSendSchema, { fromAddress: ALICE.address.toUpperCase(), toAddress: ALICE.address });
    expect(decodeTx(raw(body(SEND, capitals)), exampleChain).signers).toEqual([ALICE.addressBytes]);
  });

  test("groups within groups → sdk 2", () => {
    const groups = new Uint8Array(100_000).fill((1024 << 3) | 3);
    expect(refusalOf(raw(concatBytes(body(SEND), groups)))).toMatch(/^sdk 2 /);
  });

  test("the size limit → at it decoded, one byte past it sdk 21", () => {
    const sized = (size: number) => {
      const filler = (length: number) =>
        raw(concatBytes(body(SEND), new WireWriter().string(2, "m".repeat(length)).finish()));
      return filler(size - (filler(500_000).length - 500_000));
    };
    expect(sized(TX_BYTES_MAX)).toHaveLength(TX_BYTES_MAX);
    expect(refusalOf(sized(TX_BYTES_MAX))).toBe("accepted");
    expect(refusalOf(sized(TX_BYTES_MAX + 1))).toMatch(/^sdk 21 /);
  });

  test("a key of another kind of message → sdk 2; bytes that are text → sdk 2", () => {
    expect(refusalOf(raw(body({ typeUrl: "/cosmos.crypto.secp256k1.PubKey", value: new Uint8Array() })))).toMatch(
      /^sdk 2 /,
    );
    expect(refusalOf(utf8("just words"))).toMatch(/^sdk 2 /);
  });
});

function modeTwice(): Uint8Array {
  const mode = new WireWriter().message(1, new Uint8Array()).message(2, new Uint8Array()).finish();
  return new WireWriter().message(1, new WireWriter().message(2, mode).finish()).message(2, new Uint8Array()).finish();
}
