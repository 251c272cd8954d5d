/** IPv6 addresses as RFC 4291 §2.2 writes them, without a zone. */

const GROUP = /^[0-9a-fA-F]{1,4}$/;
const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;

/** Eight groups of hex digits; `::` once for at least one group of zeros; the last two groups may be an IPv4 address. */
export function isIPv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const endsInIPv4 = isIPv4(groups.at(-1) ?? "") && halves.at(-1) !== "";
  const hex = endsInIPv4 ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => GROUP.test(group))) return false;
  const count = hex.length + (endsInIPv4 ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}

function isIPv4(text: string): boolean {
  const octets = text.split(".");
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}
