/** embed/python: the package's own tests, which read the vectors of test/vectors too; its codes; what its wheel carries. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ERROR_KINDS } from "../../host/base/errors/errors.js";
import { NEWEST_PYTHON, PYTHON, prepareNewestWasmtime, prepareWasmtime } from "../engines/prepare.js";
import { ROOT } from "../house/sources.js";
import { readVectors } from "./vector-counts.js";

const PACKAGE = join(ROOT, "embed/python");
const MINUTES = 60_000;
/** `npm run embed:python` runs all of them. */
const HANDLER_CASES_STRIDE = 3;
/** Of the run on the newest wasmtime. */
const NEWEST_STRIDE = 30;
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-python-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const missing = prepareWasmtime() ?? (isNewEnough() ? undefined : "Python 3.10 or newer is not here");
const noNewest = missing ?? prepareNewestWasmtime();
const noWheels = missing ?? (hasBackend() ? undefined : "setuptools of pyproject.toml is not in build/engines/venv");
const named = (name: string, reason: string | undefined) => (reason ? `${name} (skipped: ${reason})` : name);

interface Run {
  readonly program?: string;
  readonly path?: string;
  readonly stride?: number;
}

function python(args: readonly string[], run: Run = {}) {
  const { program = PYTHON, path = join(PACKAGE, "src"), stride = HANDLER_CASES_STRIDE } = run;
  // Written bytecode would be beside the sources.
  const env = {
    ...process.env,
    PYTHONPATH: path,
    PYTHONDONTWRITEBYTECODE: "1",
    HANDLER_CASES_STRIDE: String(stride),
  };
  return spawnSync(program, args, { cwd: PACKAGE, env, encoding: "utf8", maxBuffer: 1 << 26 });
}

function isNewEnough(): boolean {
  return python(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status === 0;
}

/** The version of pyproject.toml, so that a wheel can be built without a registry. */
function hasBackend(): boolean {
  const pinned = /setuptools==([\d.]+)/.exec(readFileSync(join(PACKAGE, "pyproject.toml"), "utf8"));
  return python(["-c", "import setuptools; print(setuptools.__version__)"]).stdout?.trim() === pinned?.[1];
}

describe("embed/python", () => {
  test.skipIf(missing)(
    named("python -m unittest → every recorded call, and a sample of handler cases, are as the node's", missing),
    () => {
      const { status, stdout, stderr } = python(["-m", "unittest", "discover", "-t", ".", "-s", "tests"]);
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      const { coreCalls, handlerCases } = readVectors();
      expect(stdout).toContain(`core-calls: ${coreCalls} calls as they are\n`);
      expect(stdout).toContain(`handler-cases: ${Math.ceil(handlerCases / HANDLER_CASES_STRIDE)} as the node's\n`);
      expect(stderr).not.toContain("skipped");
    },
    10 * MINUTES,
  );

  test.skipIf(noNewest)(
    named("python -m unittest on the newest wasmtime that pyproject.toml allows → a sample of the same", noNewest),
    () => {
      const newest = { program: NEWEST_PYTHON, stride: NEWEST_STRIDE };
      const { status, stdout, stderr } = python(["-m", "unittest", "discover", "-t", ".", "-s", "tests"], newest);
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      const { coreCalls, handlerCases } = readVectors();
      expect(stdout).toContain(`core-calls: ${coreCalls} calls as they are\n`);
      expect(stdout).toContain(`handler-cases: ${Math.ceil(handlerCases / NEWEST_STRIDE)} as the node's\n`);
    },
    10 * MINUTES,
  );

  test.skipIf(missing)(named("CODES → numbers and exit statuses of host/base/errors/errors.ts", missing), () => {
    const { stdout } = python(["-c", "import json; from chain_upgrade.codes import CODES; print(json.dumps(CODES))"]);
    const due = Object.entries(ERROR_KINDS).map(([code, { number, exit }]) => [code, [number, exit]]);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(due));
  });

  test.skipIf(noWheels)(
    named(
      "a wheel → holds core.wasm, check.wasm, the types' marker and the licence, and works where it is installed",
      noWheels,
    ),
    () => {
      const sources = join(folder, "sources");
      cpSync(PACKAGE, sources, { recursive: true });
      const pip = ["-m", "pip", "--disable-pip-version-check"];
      const built = python([...pip, "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", folder, sources]);
      expect(built.status, built.stderr).toBe(0);
      const [wheel = ""] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
      const place = join(folder, "installed");
      const installed = python([...pip, "install", "-q", "--no-deps", "--target", place, join(folder, wheel)]);
      expect(installed.status, installed.stderr).toBe(0);
      const files = readdirSync(place, { recursive: true, encoding: "utf8" });
      const carried = ["check.wasm", "core.wasm", "py.typed"].map((name) => `chain_upgrade/${name}`);
      expect(files).toEqual(expect.arrayContaining(carried));
      expect(files.filter((file) => file.endsWith("licenses/LICENSE"))).toHaveLength(1);
      const program =
        "from chain_upgrade import Core, __file__, decode_receipt; print(__file__, Core().plan_key().hex(), decode_receipt(b'').height)";
      expect(python(["-c", program], { path: place }).stdout).toBe(
        `${join(place, "chain_upgrade/__init__.py")} 00 0\n`,
      );
    },
    5 * MINUTES,
  );
});
