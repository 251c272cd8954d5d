/**
 * `node scripts/go-proxy.mjs DIR [VERSION]`: writes the Go modules below embed/go as a module proxy in a folder, as a release would serve
 * them. Use it with
 *
 *     GOPROXY=file://DIR,$(go env GOPROXY) GONOSUMDB=github.com/chain-upgrade/* go get …
 *
 * The files are those that git tracks, as they are in the working tree. VERSION defaults to v and the version of package.json.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { crc32 } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
const PATH = "github.com/chain-upgrade/chain-upgrade";
const [folder, version = `v${JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version}`] =
  process.argv.slice(2);
if (!folder) {
  console.error("usage: node scripts/go-proxy.mjs DIR [VERSION]");
  process.exit(2);
}

const tracked = execFileSync("git", ["ls-files", "-z", "--", "embed/go"], { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter((path) => path && existsSync(join(ROOT, path)));
const modules = tracked.filter((path) => path.endsWith("/go.mod")).map(dirname);

for (const module of modules) {
  const nested = modules.filter((other) => other.startsWith(`${module}/`));
  const files = tracked.filter(
    (path) => path.startsWith(`${module}/`) && !nested.some((other) => path.startsWith(`${other}/`)),
  );
  const name = `${PATH}/${module}`;
  const entries = files.map((path) => ({
    name: `${name}@${version}/${relative(module, path)}`,
    bytes: readFileSync(join(ROOT, path)),
  }));
  const at = join(folder, name, "@v");
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "list"), `${version}\n`);
  writeFileSync(join(at, `${version}.info`), JSON.stringify({ Version: version, Time: "2000-01-01T00:00:00Z" }));
  writeFileSync(join(at, `${version}.mod`), readFileSync(join(ROOT, module, "go.mod")));
  writeFileSync(join(at, `${version}.zip`), zipOf(entries));
  console.log(`${name}@${version}  ${files.length} files`);
}

/** A zip archive whose entries are stored without compression. */
function zipOf(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name);
    // Version 2.0, UTF-8 names, stored, 1 January 1980, CRC, both sizes, length of the name, no extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), common, path, bytes);
    // Length of the comment, disk, attributes inside and outside, where the entry begins.
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), common, place, path);
    offset += 4 + common.length + path.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\x05\x06"), end]);
}
