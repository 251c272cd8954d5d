/**
 * Cosmovisor's process test 5, LaunchProcessWithDownloads: genesis, then a zip that the plan names, then a zip that a reference leads to.
 * Other than there, the scripts say their height by `status`; the sidecar switches at none that it does not know.
 */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { verifiedDownload } from "../../../../host/visor/stage/verified-download.js";
import { elfBytes } from "../../../runnable-bytes.js";
import { zipOf } from "../download/archives.js";
import { sha256 } from "../download/fetching.js";
import { HttpServer, sendFile } from "../download/http-server.js";
import { DAEMON, planText, ScriptsHome } from "../scripts-home.js";

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

/** One that writes a plan and would go on for long. */
function script(out: string, title: string, height: number, plan: string): string {
  const lines = [
    "#!/bin/sh",
    `if [ "$1" = status ]; then echo '{"sync_info":{"latest_block_height":"${height}"}}'; exit 0; fi`,
    'test "$1" = pre-upgrade && exit 1',
    `echo ${title} Args: "$@" >> ${out}`,
    ...(plan === "" ? ["exit 0"] : [`printf '%s' '${plan}' > "$4"`, "sleep 50", `echo never >> ${out}`]),
  ];
  return `${lines.join("\n")}\n`;
}

describe("runVisor() with downloads", () => {
  test("genesis → chain2 of a zip → chain3 of a zip that a reference leads to: nobody does anything", async () => {
    const home = new ScriptsHome();
    const out = home.outFile;
    const chain3 = zipOf([
      { name: `bin/${DAEMON}`, bytes: script(out, "Chain 3 from zipped directory", 936, "") },
      { name: "README", bytes: "x" },
    ]);
    const document = JSON.stringify({
      binaries: { any: `${server.file("/chain3-zip_dir.zip", chain3)}?checksum=sha256:${sha256(chain3)}` },
    });
    const reference = `${server.file("/ref_to_chain3.json", document)}?checksum=sha256:${sha256(document)}`;
    const plan3 = planText("chain3", 936, reference);
    const chain2 = zipOf([{ name: DAEMON, bytes: script(out, "Chain 2 from zipped binary", 936, plan3) }]);
    // It is cut once, half-way.
    const url = server.on("/chain2.zip", (request, response, times) =>
      sendFile(request, response, { bytes: chain2 }, times === 0 ? Math.floor(chain2.length / 2) : undefined),
    );
    const info = JSON.stringify({ binaries: { any: `${url}?checksum=${sha256(chain2)}` } });
    const genesis = script(out, "Genesis autod.", 49, planText("chain2", 49, info));
    home.write(`cosmovisor/genesis/bin/${DAEMON}`, genesis, 0o755);
    const args = ["some", "args", "x", home.planFile];
    const exit = await home.run(args, { isDownloadAllowed: true, isChecksumRequired: true });
    expect(exit, home.lines.join("\n")).toBe(0);
    const all = args.join(" ");
    expect(home.out).toBe(
      `Genesis autod. Args: ${all}\nChain 2 from zipped binary Args: ${all}\nChain 3 from zipped directory Args: ${all}\n`,
    );
    expect(home.current).toBe("upgrades/chain3");
    expect(readFileSync(home.file("cosmovisor/upgrades/chain3/README"), "utf8")).toBe("x");
    // Which archive the program came from, and that it had the plan's checksum.
    const program = home.file(`cosmovisor/upgrades/chain2/bin/${DAEMON}`);
    expect(verifiedDownload(diskFiles, program, `${url}?checksum=${sha256(chain2)}`)).toBe("same");
  });

  test("what cannot be fetched, and then is put there → the old one serves until then, and the switch is made", async () => {
    const home = new ScriptsHome();
    const program = script(home.outFile, "Chain 2", 49, "");
    const url = server.url("/later");
    const info = JSON.stringify({ binaries: { any: `${url}?checksum=${sha256(program)}` } });
    home.write(
      `cosmovisor/genesis/bin/${DAEMON}`,
      script(home.outFile, "Genesis", 49, planText("chain2", 49, info)),
      0o755,
    );
    const ended = home.run(["some", "args", "x", home.planFile], { isDownloadAllowed: true });
    await home.says("the server returned 404");
    home.write(`cosmovisor/upgrades/chain2/bin/${DAEMON}`, program, 0o755);
    expect(await ended, home.lines.join("\n")).toBe(0);
    expect(home.current).toBe("upgrades/chain2");
  });

  test("the node has ended at the height, the server has nothing, a wrong file, then the good one → holds, then switches", async () => {
    const home = new ScriptsHome();
    const program = script(home.outFile, "Chain 2", 49, "");
    const url = server.on("/late", (request, response, times) => {
      if (times === 0) response.writeHead(404).end();
      else sendFile(request, response, { bytes: Buffer.from(times === 1 ? "#!/bin/sh\nexit 0\n" : program) });
    });
    const plan = planText("chain2", 49, JSON.stringify({ binaries: { any: `${url}?checksum=${sha256(program)}` } }));
    home.program(
      "genesis",
      `test "$1" = start || exit 1; echo Genesis >> $OUT; printf '%s' '${plan}' > ${home.planFile}; exit 1`,
    );
    const exit = await home.run(["start"], { isDownloadAllowed: true });
    expect(exit, home.lines.join("\n")).toBe(0);
    expect(home.out).toBe("Genesis\nChain 2 Args: start\n");
    expect(home.current).toBe("upgrades/chain2");
    const log = home.lines.join("\n");
    expect(log).toContain("nothing runs until the program is there");
    expect(log).toContain("the server returned 404");
    expect(log).toContain("Checksums did not match");
  });

  test.each([
    ["a web page", "<!DOCTYPE html>\ntouch $OUT.shell\n"],
    ["a text of comments", "# notes\n"],
    ["another machine's program", elfBytes({ machine: process.arch === "arm64" ? 62 : 183 })],
  ])(
    "at the height, %s with the right checksum, then a program → not linked, not run, reported; then the switch",
    async (_, bytes) => {
      const home = new ScriptsHome();
      const program = script(home.outFile, "Chain 2", 49, "");
      const url = server.on("/wrong", (request, response, times) =>
        sendFile(request, response, { bytes: Buffer.from(times === 0 ? bytes : program) }),
      );
      const plan = planText("chain2", 49, JSON.stringify({ binaries: { any: url } }));
      home.program(
        "genesis",
        `test "$1" = start || exit 1; echo Genesis >> $OUT; printf '%s' '${plan}' > ${home.planFile}; exit 1`,
      );
      expect(await home.run(["start"], { isDownloadAllowed: true }), home.lines.join("\n")).toBe(0);
      expect(home.out).toBe("Genesis\nChain 2 Args: start\n");
      expect(home.current).toBe("upgrades/chain2");
      expect(home.lines.join("\n")).toContain("result is no program for this machine");
    },
  );

  test("at the height, a file that cannot be run was put there by hand, downloads are off → waits for another one", async () => {
    const home = new ScriptsHome();
    home.write("cosmovisor/upgrades/chain2/bin/dummyd", `# notes\ntouch ${home.file("shell")}\n`, 0o755);
    home.program("genesis", `printf '%s' '${planText("chain2", 49)}' > ${home.planFile}; exit 1`);
    const ended = home.run(["start"]);
    await home.says("program wrong");
    expect(home.current).toBe("genesis");
    home.program("upgrades/chain2", 'test "$1" = pre-upgrade && exit 1; echo Chain 2 >> $OUT');
    expect(await ended, home.lines.join("\n")).toBe(0);
    expect([home.out, home.current, existsSync(home.file("shell"))]).toEqual(["Chain 2\n", "upgrades/chain2", false]);
  });

  test("held at the height without the program, SIGTERM → 0, and the link is the old one", async () => {
    const home = new ScriptsHome();
    const info = JSON.stringify({ binaries: { any: `${server.url("/never")}?checksum=${sha256("x")}` } });
    const plan = planText("chain2", 49, info);
    home.program("genesis", `test "$1" = start || exit 1; printf '%s' '${plan}' > ${home.planFile}; exit 1`);
    const ended = home.run(["start"], { isDownloadAllowed: true });
    await home.says("nothing runs until the program is there");
    expect(home.board.current.phase).toMatch(/^(downloading|halted)$/);
    home.stop.abort("SIGTERM");
    expect(await ended).toBe(0);
    expect(home.current).toBe("genesis");
  });
});
