/** The sidecar over programs that are scripts: Cosmovisor's process tests, and the rules that it has besides. */
import { describe, expect, test } from "vitest";
import { planText, ScriptsHome } from "../scripts-home.js";

/** `status --home` says which height the node has come to, as a chain's program does: Cosmovisor's tests leave that out. */
const status = (height: number) =>
  `if [ "$1" = status ]; then echo '{"sync_info":{"latest_block_height":"${height}"}}'; exit 0; fi`;

const genesis = (home: ScriptsHome, plan = "chain2") =>
  home.program(
    "genesis",
    [
      status(49),
      'echo Genesis "$@" >> $OUT',
      "sleep 0.1",
      `echo 'UPGRADE "${plan}" NEEDED at height: 49: {}' >> $OUT`,
      `printf '${planText(plan, 49)}' > "$4"`,
      "sleep 3",
      "echo Never should be printed!!! >> $OUT",
    ].join("\n"),
  );
const chain2 = (home: ScriptsHome, folder = "upgrades/chain2") =>
  home.program(
    folder,
    'test "$1" = pre-upgrade && exit 1\necho Chain 2 is live! >> $OUT\necho Args: "$@" >> $OUT\necho Finished successfully >> $OUT',
  );

describe("runVisor() over two scripts", () => {
  test("the plan's file is written and its height is reached → the old one is ended, the new one runs with the same arguments", async () => {
    const home = new ScriptsHome();
    genesis(home);
    chain2(home);
    const exit = await home.run(["foo", "bar", "1234", home.planFile]);
    expect(exit, home.lines.join("\n")).toBe(0);
    const args = `foo bar 1234 ${home.planFile}`;
    expect(home.out).toBe(
      `Genesis ${args}\nUPGRADE "chain2" NEEDED at height: 49: {}\nChain 2 is live!\nArgs: ${args}\nFinished successfully\n`,
    );
    expect(home.current).toBe("upgrades/chain2");
    expect(JSON.parse(home.read("cosmovisor/current/upgrade-info.json"))).toMatchObject({ name: "chain2", height: 49 });
    // A second run is one of the program that is current, and changes no link.
    expect(await home.run(["second", "run", "--verbose"])).toBe(0);
    expect(home.out.endsWith("Chain 2 is live!\nArgs: second run --verbose\nFinished successfully\n")).toBe(true);
    expect(home.current).toBe("upgrades/chain2");
  });
});
