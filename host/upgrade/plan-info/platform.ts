/** Platforms as Go names them (`linux/amd64`): the keys of a plan's binaries. */

/** Key of the binary for every platform that has none of its own. */
export const ANY_PLATFORM = "any";

/** Node's names that are not Go's; all others are the same word. */
const GO_OS: ReadonlyMap<string, string> = new Map([
  ["win32", "windows"],
  ["sunos", "solaris"],
]);
const GO_ARCH: ReadonlyMap<string, string> = new Map([
  ["x64", "amd64"],
  ["ia32", "386"],
  ["mipsel", "mipsle"],
]);

/**
 * Go's `os/arch` for Node's `process.platform` and `process.arch`; Go's own names stay as they are. Node calls both byte
 * orders `ppc64`; outside AIX it is built for the little-endian one.
 */
export function goPlatform(platform: string, arch: string): string {
  const os = GO_OS.get(platform) ?? platform;
  if (arch === "ppc64" && os !== "aix") return `${os}/ppc64le`;
  return `${os}/${GO_ARCH.get(arch) ?? arch}`;
}

/**
 * Whether the Cosmos SDK takes a key of `binaries`: `any`, or a text that has `word/word` anywhere in it. So real chains list
 * several programs as `<program>-linux/amd64`; only the plain form is ever looked up.
 */
export function isPlatformKey(key: string): boolean {
  return key === ANY_PLATFORM || /[a-zA-Z0-9]\/[a-zA-Z0-9]/.test(key);
}
