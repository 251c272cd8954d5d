/** grpcurl, a client that nobody here wrote, by reflection alone. */
import { exec, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useTestNode } from "../unit/serve/api/test-node.js";

const VERSION = "v1.9.3";
/** Kept between runs: building it takes minutes. */
const FOLDER = join(tmpdir(), `chain-upgrade-grpcurl-${VERSION}`);
const BUILD_MILLIS = 400_000;
const NAMES = ["chain.upgrade.v1beta1.Query", "cosmos.upgrade.v1beta1.Query"];

/** Undefined where it cannot be had: no Go, or no module proxy. */
function grpcurl(): string | undefined {
  const program = join(FOLDER, "grpcurl");
  if (existsSync(program)) return program;
  try {
    const env = { ...process.env, GOBIN: FOLDER };
    const module = `github.com/fullstorydev/grpcurl/cmd/grpcurl@${VERSION}`;
    execFileSync("go", ["install", module], { env, stdio: "ignore", timeout: BUILD_MILLIS });
  } catch {
    return undefined;
  }
  return existsSync(program) ? program : undefined;
}

function run(program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(program, ["-plaintext", ...args]);
  let out = "";
  child.stdout.on("data", (data) => {
    out += String(data);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(out));
  });
}

const inShell = promisify(exec);

/** Commands of docs/integrate.md, as people paste them. */
function documented(): string[] {
  const page = readFileSync(join(import.meta.dirname, "../../docs/integrate.md"), "utf8");
  const found = page.match(/^grpcurl .*$/gm) ?? [];
  expect(found.length).toBeGreaterThan(3);
  return found;
}

test(
  "grpcurl list, describe, call, and the commands of docs/integrate.md → both names (needs Go and its module proxy)",
  async (context) => {
    const program = grpcurl();
    if (!program) return context.skip("grpcurl cannot be built here: Go or its module proxy is missing");
    await useTestNode(async (node) => {
      node.schedule("v2", 9n);
      expect((await run(program, node.grpc, "list")).split("\n")).toEqual(expect.arrayContaining(NAMES));
      expect(await run(program, node.grpc, "describe", "cosmos.upgrade.v1beta1.Query")).toContain("rpc CurrentPlan");
      expect(await run(program, node.grpc, "describe", "cosmos.bank.v1beta1.Msg")).toContain("rpc Send");
      const { moduleOptions } = JSON.parse(await run(program, node.grpc, "cosmos.autocli.v1.Query/AppOptions"));
      expect(moduleOptions.bank.tx.service).toBe("cosmos.bank.v1beta1.Msg");
      for (const command of documented()) {
        const { stdout } = await inShell(command.replace("127.0.0.1:9090", node.grpc), {
          env: { ...process.env, HEIGHT: "1", PATH: `${FOLDER}:${process.env["PATH"]}` },
        });
        expect(stdout, command).toMatch(/chain\.upgrade\.v1beta1\.Query|"plan"|"moduleVersions"/);
      }
      for (const name of NAMES) {
        const call = async (method: string, data = "{}") =>
          JSON.parse(await run(program, "-d", data, node.grpc, `${name}/${method}`));
        expect(await call("CurrentPlan")).toMatchObject({ plan: { name: "v2", height: "9" } });
        expect(await call("AppliedPlan", '{"name":"v1"}')).toEqual({});
        expect((await call("ModuleVersions")).moduleVersions.length).toBe(5);
      }
    });
  },
  BUILD_MILLIS + 60_000,
);
