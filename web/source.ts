/** Where the page asks: the server that it came from, or `?rpc=URL` (any CometBFT) and `?api=URL` (REST of a chain). */

export interface Source {
  /** RPC, with a slash at the end. */
  readonly rpc: string;
  /** REST, with a slash at the end; undefined: the chain's RPC alone is known. */
  readonly api: string | undefined;
  /** The upgrade that is asked about; "": what the chain says. */
  readonly plan: string;
}

/** @throws Error in words for the reader */
export function sourceOf(address: string): Source {
  const page = new URL(address);
  const { searchParams } = page;
  const asked = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? undefined : checked(value, name);
  };
  const rpc = asked("rpc");
  const plan = searchParams.get("plan") ?? "";
  if (rpc !== undefined) return { rpc, api: asked("api"), plan };
  return { rpc: new URL("rpc/", page).href.split("?")[0] ?? "", api: new URL(".", page).href, plan };
}

function checked(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`?${name}= is not an address that begins with http.`);
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** For readers: the address without its protocol and slash. */
export function sourceName({ rpc }: Source): string {
  return rpc.replace(/^https?:\/\//, "").replace(/\/(?:rpc\/)?$/, "");
}
