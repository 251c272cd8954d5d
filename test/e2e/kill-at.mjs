// Loaded before chaind: ends the process with SIGKILL at a moment of the writing of a file, which CHAIND_TEST_KILL_AT names.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [moment, name] = (process.env.CHAIND_TEST_KILL_AT ?? "").split(" ");
const { openSync, writeSync, fsyncSync, renameSync } = fs;
const opened = new Set();
const end = () => process.kill(process.pid, "SIGKILL");

fs.openSync = (path, ...rest) => {
  const isIt = String(path).includes(`/${name}.`) && String(path).endsWith(".tmp");
  const file = openSync(path, ...rest);
  if (isIt) opened.add(file);
  if (isIt && moment === "opened") end();
  return file;
};
fs.writeSync = (file, bytes, ...rest) => {
  if (!opened.has(file) || moment !== "half") return writeSync(file, bytes, ...rest);
  writeSync(file, bytes, 0, bytes.length >> 1);
  end();
};
fs.fsyncSync = (file) => {
  if (opened.has(file) && moment === "written") end();
  fsyncSync(file);
};
fs.renameSync = (from, to) => {
  const isIt = String(to).endsWith(`/${name}`);
  if (isIt && moment === "synced") end();
  renameSync(from, to);
  if (isIt && moment === "renamed") end();
};
syncBuiltinESMExports();
