/** Homes of programs that gave their key a power of its own, whatever state said: they go on, header by header. */
import { copyFileSync } from "node:fs";
import { open } from "lmdb";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import type { Chain } from "../../../../host/chain/app/chain.js";
import { defineChain } from "../../../../host/chain/app/define-chain.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { ValidatorStore } from "../../../../host/node/blocks/validator-store.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { exampleChain } from "../../../example-chain.js";
import { followHeaders, Home, member, OTHER, OWN } from "./member-home.js";

/** The chain as programs had it before powers came from state. */
const before: Chain = defineChain({
  name: exampleChain.name,
  modules: exampleChain.modules.map(({ validators: _, ...module }) => module),
  upgrades: exampleChain.upgrades,
  handlers: exampleChain.handlers as string,
});

test("a home of format 1, whose values have no checksums → verify says so and what to do, and speaks of no damage", async () => {
  const home = new Home([member(OWN, 100)]);
  home.make(1);
  const options = { path: home.data("chain.mdb"), noSubdir: true, encoding: "binary", keyEncoding: "binary" } as const;
  const database = open<Buffer, Buffer>(options);
  for (const key of [...database.getKeys()]) {
    const value = database.getBinary(key) as Buffer;
    const isFormat = key.equals(Buffer.from("f"));
    database.putSync(key, isFormat ? Buffer.from("\n\x0dchain-upgrade\x10\x01") : value.subarray(0, -4));
  }
  await database.close();
  expect(() => verifyHome(home.path, () => undefined)).toThrow(
    expect.objectContaining({
      code: "UPG_STORE_VERSION_MISMATCH",
      message: expect.stringMatching(/format 1.*init --genesis/),
    }),
  );
});

describe("a home of a program that gave its key power 10, whatever state said", () => {
  /** Removes what that program did not write. */
  function forgetSets(home: Home): void {
    const database = new LmdbDatabase(home.data("chain.mdb"));
    const [start, end] = [Uint8Array.of(98, 100), Uint8Array.of(98, 101)];
    database.transaction((batch) => {
      for (const key of database.keys({ start, end })) batch.remove(key);
    });
    expect(new ValidatorStore(database).count()).toBe(0);
    database.close();
  }

  test("goes on → the next block as that program had made it, power from state two blocks later, headers linked", () => {
    const home = new Home([member(OWN, 100), member(OTHER, 20)]);
    home.make(3, [], before);
    forgetSets(home);
    expect(home.powers()).toEqual(Array(4).fill("own 10"));
    home.make(1);
    home.make(3);
    expect(home.powers()).toEqual([...Array(5).fill("own 10"), ...Array(3).fill("own 100, other 20")]);
    home.use(followHeaders);
    expect(verifyHome(home.path, () => undefined)).toMatchObject({ blocks: "7", commits: "7" });
  });

  test("killed between the signature and the commit of a block → that very block, then on", () => {
    const home = new Home([member(OWN, 100), member(OTHER, 20)]);
    home.make(3, [], before);
    forgetSets(home);
    copyFileSync(home.data("chain.mdb"), home.data("copy.mdb"));
    const [signed] = home.make(1, [], before);
    copyFileSync(home.data("copy.mdb"), home.data("chain.mdb"));
    const [made] = home.make(4);
    expect(toHex(made?.blockId.hash ?? new Uint8Array())).toBe(toHex(signed?.blockId.hash ?? new Uint8Array()));
    home.use(followHeaders);
    expect(home.powers().at(-1)).toBe("own 100, other 20");
  });
});
