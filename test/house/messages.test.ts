/** A message that `service Msg` of a .proto file declares is one of a module: else transactions with it are refused as unknown. */
import { expect, test } from "vitest";
import { bank } from "../../host/chain/modules/bank/module.js";
import { consensus } from "../../host/chain/modules/consensus/module.js";
import { gov } from "../../host/chain/modules/gov/module.js";
import { staking } from "../../host/chain/modules/staking/module.js";
import { upgrade } from "../../host/chain/modules/upgrade/module.js";
import { sourcesUnder } from "./sources.js";

const modules = [bank(), consensus(), gov(), staking(), upgrade({ attestations: 1n })];

/** Types of the messages that the file's `service Msg` takes. */
function declaredIn(text: string): string[] {
  const [, name = ""] = /^package ([\w.]+);/m.exec(text) ?? [];
  const [, body = ""] = /^service Msg \{([\s\S]*?)^\}/m.exec(text) ?? [];
  return [...body.matchAll(/\brpc \w+\s*\(\s*([\w.]+)\s*\)/g)].map(([, input = ""]) =>
    input.includes(".") ? input : `${name}.${input}`,
  );
}

test("each rpc of a `service Msg` in proto/ → a module of host/chain/modules lists its message", () => {
  const listed = new Set(modules.flatMap(({ messages = [] }) => messages.map(({ schema }) => schema.typeName)));
  const declared = sourcesUnder("proto", ".proto").flatMap(({ path, text }) =>
    declaredIn(text).map((typeName) => ({ path, typeName })),
  );
  expect(declared.length).toBeGreaterThan(20);
  const forgotten = declared.filter(({ typeName }) => !listed.has(typeName));
  expect(
    forgotten.map(
      ({ path, typeName }) =>
        `${path} declares ${typeName}: add messageKind({ schema, response, run }) to the messages of its module`,
    ),
  ).toEqual([]);
});
