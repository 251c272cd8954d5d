/** The machine's Firefox, by WebDriver BiDi: the one that a distribution packages speaks that, and no other protocol of ours. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";

const PROGRAMS = ["firefox-esr", "firefox"];
const REPLY_MILLIS_MAX = 60_000;

/** Undefined: there is none. */
export function firefoxProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0);
}

interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: string;
  readonly message?: string;
}

export class Firefox {
  readonly #replies = new Map<number, (reply: Reply) => void>();
  #next = 1;

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
    private readonly socket: WebSocket,
  ) {
    socket.on("message", (data) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id !== undefined) this.#replies.get(reply.id)?.(reply);
    });
  }

  static async launch(program: string): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "chain-upgrade-firefox-"));
    const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
    const address = await listening(child);
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const firefox = new Firefox(child, profile, socket);
    await firefox.#call("session.new", { capabilities: {} });
    return firefox;
  }

  async #call(method: string, params: object): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const reply = await new Promise<Reply>((resolve, reject) => {
      // So that a test that waits for ever still closes the browser.
      const timer = setTimeout(() => reject(new Error(`${method}: no reply`)), REPLY_MILLIS_MAX);
      this.#replies.set(id, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
    this.#replies.delete(id);
    if (!reply.result) throw new Error(`${method}: ${reply.error} ${reply.message}`);
    return reply.result;
  }

  /** A new tab with the page. Returns its context. */
  async open(url: string): Promise<string> {
    const { context } = await this.#call("browsingContext.create", { type: "tab" });
    await this.#call("browsingContext.navigate", { context, url, wait: "complete" });
    return context as string;
  }

  /** The value of an expression that is a text. */
  async text(context: string, expression: string): Promise<string> {
    const result = await this.#call("script.evaluate", { expression, target: { context }, awaitPromise: true });
    return String((result["result"] as { value?: unknown } | undefined)?.value);
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.socket.close();
    this.process.kill("SIGKILL");
    await gone;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function listening({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stderr?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const [, address] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    stderr?.once("close", () => reject(new Error(`Firefox ended:\n${text}`)));
  });
}
