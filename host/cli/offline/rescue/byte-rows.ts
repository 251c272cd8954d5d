/** Bytes written one by one, as a debugger, a JSON array or Go prints a key. Sixteen or more in a row are removed, whatever they are. */

const BYTE = "(?:0x[0-9a-f]{1,2}|25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[0-9]{1,2})";
/** `"0": ` before each, where an array became an object. */
const INDEX = `(?:\\\\?"[0-9]{1,3}\\\\?"\\s*:\\s*)?`;
const GAP = "(?:\\\\+[nrt]|[\\s,])+";
/** `[158, 63, …]`, `[158 63 …]`, `{"0":158,"1":63, …}`, `0x9e, 0x3f, …`. */
const NUMBERS = new RegExp(`(?<![\\w.])${INDEX}${BYTE}(?:${GAP}${INDEX}${BYTE}){15,}(?![\\w.])`, "gi");
/** `9e:3f:…`, `9e 3f …`. */
const PAIRS = /(?<!\w)[0-9a-f]{2}(?:(?:\\+[nrt]|[\s:,-])+[0-9a-f]{2}){15,}(?!\w)/gi;
/** `\x9e\x3f…`, `\236\077…`, with printable characters between them, as Go quotes bytes. */
const ESCAPES = /(?:[^\s\\"]{0,32}\\+(?:x[0-9a-f]{2}|[0-3][0-7]{2})){6,}[^\s\\"]*/gi;

export function withoutByteRows(text: string, removed: string): string {
  return text.replace(NUMBERS, removed).replace(PAIRS, removed).replace(ESCAPES, removed);
}
