/** Where a node serves its RPC, by what is on disk and by the flags that start it. */
import { expect, test } from "vitest";
import { utf8 } from "../../../../host/base/text/bytes.js";
import { servedRpc } from "../../../../host/visor/decide/heights/served-rpc.js";

const of = (files: Record<string, string>, args: readonly string[] = [], env: Record<string, string> = {}) =>
  servedRpc({
    files: { read: (path) => (files[path] === undefined ? undefined : utf8(files[path])) },
    settings: { home: "/h", name: "my-chaind" },
    ...{ args, env },
  });

const RUNS = { "/h/data/addresses.json": '{"rpc":"tcp://127.0.0.1:40001"}' };
const APP = { "/h/config/app.toml": '[rpc]\nladdr = "tcp://0.0.0.0:40002"\n' };
const COMET = { "/h/config/config.toml": '[rpc]\nladdr = "tcp://[::]:40003"\n' };
const FLAG = ["start", "--rpc.laddr", "tcp://127.0.0.1:1", "--rpc.laddr=tcp://10.0.0.9:40004"];

test.each([
  ["a node that runs", { ...RUNS, ...APP }, FLAG, {}, "http://127.0.0.1:40001"],
  ["a flag, the last one", { ...APP, ...COMET }, FLAG, {}, "http://10.0.0.9:40004"],
  ["a variable", APP, ["start"], { MY_CHAIND_RPC_LADDR: "tcp://:40005" }, "http://127.0.0.1:40005"],
  ["app.toml", { ...APP, ...COMET }, [], {}, "http://127.0.0.1:40002"],
  ["config.toml", COMET, [], {}, "http://127.0.0.1:40003"],
  ["nothing", {}, [], {}, undefined],
  ["any free port", {}, ["start", "--rpc.laddr", "tcp://127.0.0.1:0"], {}, undefined],
  ["damaged files", { "/h/data/addresses.json": "{", "/h/config/app.toml": "= =" }, [], {}, undefined],
])("servedRpc() of %s", (_name, files, args, env, url) => expect(of(files, args, env)).toBe(url));
