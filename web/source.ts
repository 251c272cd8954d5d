/** The servers that the page queries: the one it came from, or `?rpc=URL` (any CometBFT) and `?api=URL` (REST of a chain). */

export interface Source {
  /** RPC, with a slash at the end. */
  readonly rpc: string;
  /** REST, with a slash at the end; undefined: only the chain's RPC is known. */
  readonly api: string | undefined;
  /** Name of the upgrade to show; "": the last one. */
  readonly plan: string;
  /** Did the server of the page name itself as the source? False: the address did, and anybody can write an address. */
  readonly isOwn: boolean;
}

/** @throws Error with a message for the reader */
export function sourceOf(address: string): Source {
  const page = new URL(address);
  const { searchParams } = page;
  const given = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? undefined : checked(value, name);
  };
  const [rpc, api] = [given("rpc"), given("api")];
  const plan = searchParams.get("plan") ?? "";
  const own = { rpc: new URL("rpc/", page).href.split("?")[0] ?? "", api: new URL(".", page).href };
  if (rpc !== undefined) return { rpc, api, plan, isOwn: false };
  return { rpc: own.rpc, api: api ?? own.api, plan, isOwn: api === undefined };
}

function checked(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`?${name}= is not an address that begins with http.`);
  // `https://bank.example@evil.example` reads as the first of the two.
  if (url.username !== "" || url.password !== "") throw new Error(`?${name}= must not contain a user name.`);
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** For readers: the address without its protocol and slash. */
const shortName = (url: string) => url.replace(/^https?:\/\//, "").replace(/\/(?:rpc\/)?$/, "");

/** The server whose evidence is verified. */
export const evidenceName = ({ rpc }: Source): string => shortName(rpc);

/** The server that reports status and proposals, which nothing verifies. */
export const reporterName = ({ rpc, api }: Source): string => shortName(api ?? rpc);

/** Every server that is asked. */
export function sourceName(source: Source): string {
  const [evidence, reporter] = [evidenceName(source), reporterName(source)];
  return evidence === reporter ? evidence : `${evidence} (evidence) and ${reporter} (reports)`;
}
