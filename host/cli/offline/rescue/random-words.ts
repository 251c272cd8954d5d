/**
 * Finds tokens of free text that look random, as keys, API tokens and webhooks of any issuer do. All of them are removed except a
 * few known kinds: numbers and times, names and paths made of words, account addresses, and hashes that follow their name.
 */

/** What tokens of keys and URLs are made of. */
const TOKEN = /[A-Za-z0-9_+/=.~%@:-]{12,}/g;
const NUMBER_OR_TIME = /^[\d.,:TZ+/-]*$/;
/** Of 20 bytes, with any prefix; a key of 32 bytes is longer. */
const ADDRESS = /^[a-z]{1,24}1[02-9ac-hj-np-z]{38}$/;
const HASH = /^(?:sha256:)?(?:[0-9a-f]{64}|[0-9A-F]{64}|[0-9a-f]{40}|[0-9A-F]{40})$/;
/** Of a hash, directly before it; a name of a secret was removed with its value before. */
const HASH_NAME =
  /(?:hash\w*|sha256\w*|root\w*|digest|blockid|address|validator|proposer)\\?["']?\s*[=: ]\s*\\?["']?$/i;
const NAME_CHARACTERS = 40;
/** `id@host:port` of a peer. */
const PEER = /^[0-9a-f]{40}@[a-z0-9.:-]+$/;

/** A part of a token that is shorter may be a name with digits in it, such as `v1beta1`. */
const PART_MIN = 10;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** Names made of words: `upgrade`, `CONSENSUS`, `MsgSoftwareUpgrade`, `ABCIServer`; a number before a unit or after a name. */
const WORDS: readonly RegExp[] = [
  /^[a-z]{1,24}$/,
  /^[A-Z]{1,15}$/,
  /^[a-z]{0,15}(?:[A-Z]{1,4}[a-z]{2,15}){1,6}\d{0,5}$/,
  /^\d+[a-z]{0,10}$/,
  /^(?:Priv|Pub)Key(?:Ed25519|Secp256k1)$/,
  /^[A-Za-z][a-z]{0,11}\d{1,3}$/,
];

export const isName = (part: string): boolean => WORDS.some((word) => word.test(part));

/** The text without them; `removed` in their place. */
export function withoutRandomWords(text: string, removed: string): string {
  return text.replace(TOKEN, (token, at: number) => {
    if (NUMBER_OR_TIME.test(token) || PEER.test(token)) return token;
    const before = text.slice(Math.max(0, at - NAME_CHARACTERS), at);
    const [, name = "", value = token] = /^(\w+[=:])?(.*)$/s.exec(token) ?? [];
    if (ADDRESS.test(value) || (HASH.test(value) && HASH_NAME.test(before + name))) return token;
    return isRandom(token) ? removed : token;
  });
}

function isRandom(token: string): boolean {
  if (UUID.test(token)) return true;
  const odd = token.split(/[^A-Za-z0-9]+/).filter((part) => part.length > 3 && !isName(part));
  // A key whose `/`, `+` or `_` come often has short parts.
  return odd.length >= 2 || odd.some(({ length }) => length >= PART_MIN);
}
