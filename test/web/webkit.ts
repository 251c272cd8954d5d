/** The machine's WebKit, the engine of Safari, by WebDriver: Debian's package webkit2gtk-driver, on a screen that nobody sees. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const READY_MILLIS = 20_000;

/** Why there is none; undefined: there is one. */
export function webkitMissing(): string | undefined {
  const has = (program: string) => spawnSync("which", [program], { stdio: "ignore" }).status === 0;
  if (!has("WebKitWebDriver") || !existsSync(BROWSER)) return "skipped: WebKit is missing here";
  return has("Xvfb") ? undefined : "skipped: Xvfb is missing here";
}

export class WebKit {
  private constructor(
    private readonly screen: ChildProcess,
    private readonly driver: ChildProcess,
    private readonly session: string,
  ) {}

  static async launch(): Promise<WebKit> {
    const screen = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const display = await new Promise<string>((resolve, reject) => {
      screen.stdout?.once("data", (data) => resolve(String(data).trim()));
      screen.once("exit", () => reject(new Error("Xvfb exited")));
    });
    const port = await freePort();
    const env = { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_COMPOSITING_MODE: "1" };
    const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env, stdio: "ignore" });
    const url = `http://127.0.0.1:${port}`;
    for (const begun = Date.now(); !(await isReady(url)); await sleep(50)) {
      if (Date.now() - begun > READY_MILLIS) throw new Error("WebKitWebDriver does not respond");
    }
    const options = { "webkitgtk:browserOptions": { binary: BROWSER, args: ["--automation"] } };
    const { sessionId } = (await call(url, "POST", "/session", { capabilities: { alwaysMatch: options } })) as {
      sessionId: string;
    };
    return new WebKit(screen, driver, `${url}/session/${sessionId}`);
  }

  async open(url: string): Promise<void> {
    await call(this.session, "POST", "/url", { url });
  }

  /** The text of the first element that matches, once it matches the pattern. */
  async text(selector: string, pattern: RegExp, millis: number): Promise<string> {
    const script = `return document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`;
    for (const begun = Date.now(); ; await sleep(100)) {
      const found = String(await call(this.session, "POST", "/execute/sync", { script, args: [] }));
      if (pattern.test(found)) return found;
      if (Date.now() - begun > millis) throw new Error(`${selector} does not match ${pattern}: ${found}`);
    }
  }

  async close(): Promise<void> {
    await call(this.session, "DELETE", "").catch(() => undefined);
    this.driver.kill("SIGTERM");
    this.screen.kill("SIGTERM");
  }
}

async function call(base: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(base + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
  return value;
}

async function isReady(url: string): Promise<boolean> {
  const status = await call(url, "GET", "/status").catch(() => undefined);
  return (status as { ready?: boolean } | undefined)?.ready === true;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
