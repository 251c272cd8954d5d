/** Upgrades whose program comes from a server that fails in every way first: nobody does anything, and the chain goes on. */
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { goPlatform } from "../../host/upgrade/plan-info/platform.js";
import { everyNth } from "../sample.js";
import { type TarItem, tarOf } from "../unit/visor/download/archives.js";
import { sha256 } from "../unit/visor/download/fetching.js";
import { HttpServer, sendFile } from "../unit/visor/download/http-server.js";
import { placeProgram, programScript, startsOf } from "../visor/real/programs.js";
import { DIST, NO_SERVERS, type Running, run, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";
import { freePort } from "./free-port.js";
import { BLOCK_TIME } from "./prepared-home.js";

vi.setConfig({ testTimeout: 120_000 });

/** So long that it comes in several pieces. */
const FILLING = Buffer.alloc(300_000, "what else a release has in it\n");
const HEIGHT = 24n;
const LOGICAL = [...NO_SERVERS, "--logical-clock", "--block-time", BLOCK_TIME];

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

const releaseOf = (home: TestHome) =>
  archiveOf([
    { name: "bin/chaind", bytes: programScript(home.path, "v2"), mode: 0o755 },
    { name: "README", bytes: FILLING },
  ]);
/** Not packed: its length is that of what it holds. */
const archiveOf = (items: readonly TarItem[]) => gzipSync(tarOf(items), { level: 0 });
const infoOf = (url: string) => JSON.stringify({ binaries: { [goPlatform(process.platform, process.arch)]: url } });

/** At height 3; version 1 is linked, version 2 is nowhere but in the plan. */
function scheduledHome(height: bigint, info: (home: TestHome) => string): TestHome {
  const home = new TestHome();
  home.schedule({ name: "v2", height, info: info(home) }, 3n);
  placeProgram(home.path, "genesis", "v1");
  return home;
}

function supervise(home: TestHome, rpc: string, args: readonly string[]): Running {
  const env = {
    ...{ DAEMON_NAME: "chaind", DAEMON_HOME: home.path, DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" },
    ...{ DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM: "true", CHAINVISOR_DOWNLOAD_STALL: "1s", CHAINVISOR_STATUS_ADDRESS: "" },
    ...{ CHAINVISOR_RPC_ADDRESS: rpc },
  };
  return run(join(DIST, "chainvisor.js"), ["run", "start", "--home", home.path, ...args], env);
}

const MILLIS_MAX = 90_000;
async function until(what: () => boolean, sidecar: Running): Promise<void> {
  for (const end = performance.now() + MILLIS_MAX; !what(); await sleep(20)) {
    expect(sidecar.child.exitCode, sidecar.stderr).toBeNull();
    if (performance.now() > end) throw new Error(`it did not come:\n${sidecar.stderr}`);
  }
}

/** The new version has made its block; then both end, and each program has run where it had to. */
async function upgraded(home: TestHome, sidecar: Running, height: bigint): Promise<void> {
  await until(() => existsSync(home.data("receipts/v2.json")), sidecar);
  sidecar.child.kill("SIGTERM");
  expect((await sidecar.end).exit, sidecar.stderr).toBe(0);
  expect(readlinkSync(join(home.path, "cosmovisor/current"))).toBe("upgrades/v2");
  expect(BigInt(home.last.height)).toBeGreaterThanOrEqual(height);
  expect(startsOf(home.path)).toEqual(["v1", "v2"]);
}

/** Whole: the block before the upgrade is committed, the plan's is not begun, and the record says what is needed. */
async function expectHalted(home: TestHome, height: bigint): Promise<void> {
  const before = String(height - 1n);
  const halt = { code: "UPG_HALT_UPGRADE_NEEDED", height: String(height), last_committed_height: before };
  expect(home.haltRecord).toMatchObject(halt);
  expect(await new CommandLine().json("verify", "--home", home.path)).toMatchObject({ height: before });
  expect(readlinkSync(join(home.path, "cosmovisor/current"))).toBe("genesis");
  expect(startsOf(home.path)).toEqual(["v1"]);
}

describe("chainvisor run start, the program from a server", () => {
  test("404, slow, cut in the middle, good → the node makes its blocks meanwhile, and the upgrade is made", async () => {
    let bytes: Buffer = Buffer.alloc(0);
    const etag = '"1"';
    const url = server.on("/v2.tar.gz", (request, response, times) => {
      if (times === 0) return void response.writeHead(404).end("not found");
      if (times > 1) return void sendFile(request, response, { bytes, etag }, times === 2 ? 150_000 : undefined);
      response.writeHead(200, { "content-length": bytes.length, etag });
      response.write(bytes.subarray(0, 50_000));
    });
    const home = scheduledHome(HEIGHT, (made) => {
      bytes = releaseOf(made);
      return infoOf(`${url}?checksum=sha256:${sha256(bytes)}`);
    });
    server.requests.length = 0;
    const port = await freePort();
    const servers = ["--grpc.enable=false", "--api.enable=false", "--rpc.laddr", `tcp://127.0.0.1:${port}`];
    const sidecar = supervise(home, `http://127.0.0.1:${port}`, [...servers, "--block-time", "300ms"]);
    await upgraded(home, sidecar, HEIGHT);
    expect(server.requests.map((each) => each.replace(/^\/v2.tar.gz\?*[^ ]* /, ""))).toEqual([
      ...["all", "all", "bytes=50000-", "bytes=200000-"],
    ]);
    expect(sidecar.stderr).toContain("the server returned 404");
    expect(readFileSync(join(home.path, "cosmovisor/upgrades/v2/README"))).toEqual(FILLING);
  });

  const PROGRAM = "#!/bin/sh\nexit 0\n";
  const bad: readonly [string, Buffer | undefined, RegExp][] = [
    ["another file than the checksum's", undefined, /Checksums did not match/],
    ["an archive with ../", archiveOf([{ name: "../../evil", bytes: PROGRAM }]), /evil/],
    ["an archive with a link out of it", archiveOf([{ name: "bin", kind: "2", link: "/tmp" }]), /bin/],
    ["an archive with an absolute name", archiveOf([{ name: "/tmp/evil", bytes: PROGRAM }]), /evil/],
    // An only file would be the program, whatever its name.
    [
      "an archive without the program",
      archiveOf([
        { name: "bin/other", bytes: PROGRAM },
        { name: "README", bytes: "of another" },
      ]),
      /chaind/,
    ],
    ["an archive that ends too early", archiveOf([{ name: "bin/chaind", size: 10_000 }]), /archive|ends|end/],
  ];
  test.each(everyNth(bad.length, bad))(
    "%s → halted whole, in words; then the good file → goes on",
    async (name, archive, words) => {
      const height = 5n;
      let good: Buffer = Buffer.alloc(0);
      let isGood = false;
      const served = () => (isGood ? good : (archive ?? Buffer.from("another file")));
      const path = `/${name.replaceAll(/[^a-z]+/g, "-")}.tar.gz`;
      const url = server.on(path, (request, response) => sendFile(request, response, { bytes: served() }));
      // The sum is the server's too, so that a whole archive that may not be unpacked has the right one.
      const sums = server.on(`${path}.sha256`, (request, response) => {
        const sum = archive === undefined ? sha256(good) : sha256(served());
        sendFile(request, response, { bytes: Buffer.from(sum) });
      });
      const home = scheduledHome(height, (made) => {
        good = releaseOf(made);
        return infoOf(`${url}?checksum=file:${sums}`);
      });
      const sidecar = supervise(home, "", LOGICAL);
      await sidecar.says("nothing runs until the program is there");
      await until(() => words.test(sidecar.stderr.split("program wrong:")[1] ?? ""), sidecar);
      await expectHalted(home, height);
      isGood = true;
      await upgraded(home, sidecar, height);
    },
  );
});
