/** Flags of derived commands: what is no value of a field is an error that names the flag, never a default. */

import type { DescMessage } from "@bufbuild/protobuf";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { MsgVoteSchema, MsgVoteWeightedSchema } from "../../../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { MsgUndelegateSchema } from "../../../../host/base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { addFieldFlags, jsonOfFlags, requireEnums } from "../../../../host/cli/client/derived/fields.js";
import { exampleChain } from "../../../example-chain.js";

/** Parses words as the flags of a message. */
function parsed(schema: DescMessage, ...words: readonly string[]): Record<string, unknown> {
  const command = new Command();
  const flags = addFieldFlags(command, schema.fields);
  command.parse([...words], { from: "user" });
  requireEnums(flags, command.opts());
  return jsonOfFlags(exampleChain, flags, command.opts());
}

describe("flags of a message", () => {
  test("an enum by its full name, its short name in any case, its number → that value", () => {
    for (const word of ["VOTE_OPTION_NO_WITH_VETO", "no-with-veto", "No_With_Veto", "4"])
      expect(parsed(MsgVoteSchema, "--option", word)).toEqual({ option: 4 });
    expect(parsed(MsgVoteSchema, "--option", "unspecified")).toEqual({ option: 0 });
  });

  test("an enum by another word or number → an error with the flag, the names and the nearest", () => {
    for (const [word, hint] of [
      ["yess", ' (did you mean "yes"?)'],
      ["buy", ""],
      ["9", ""],
    ])
      expect(() => parsed(MsgVoteSchema, "--option", word ?? "")).toThrow(
        `invalid argument "${word}" for "--option" flag: there is no such value${hint}. Valid: unspecified, yes, abstain, no, no-with-veto`,
      );
  });

  test("an enum with …_UNSPECIFIED that is left out → an error with the flag and the names", () => {
    expect(() => parsed(MsgVoteSchema, "--proposal-id", "1")).toThrow(
      'required flag(s) "option" not set: give one of unspecified, yes, abstain, no, no-with-veto',
    );
  });

  test.each(["-5", "1e3", "18446744073709551616", "", "x"])(
    "the number %j → an error with the flag and the range",
    (word) => {
      expect(() => parsed(MsgVoteSchema, "--option", "yes", `--proposal-id=${word}`)).toThrow(
        `invalid argument ${JSON.stringify(word)} for "--proposal-id" flag: expected a whole number from 0 to 18446744073709551615`,
      );
    },
  );

  test("JSON with an unknown field, a name that is no value, no JSON → an error with the flag", () => {
    const options = (json: string) => () => parsed(MsgVoteWeightedSchema, "--options", json);
    expect(options('{"option":"VOTE_OPTION_YES","wieght":"1"}')).toThrow('for "--options" flag: wieght:');
    expect(options('{"option":"yes","weight":"1"}')).toThrow('did you mean "VOTE_OPTION_YES"?');
    expect(options("yes=1")).toThrow('invalid argument "yes=1" for "--options" flag: it is not JSON');
  });

  test("coins are coins; a flag that is left out leaves its field out", () => {
    expect(parsed(MsgUndelegateSchema, "--amount", "7ustake")).toEqual({ amount: { denom: "ustake", amount: "7" } });
    expect(parsed(MsgUndelegateSchema)).toEqual({});
  });
});
