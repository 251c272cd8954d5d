/**
 * Results of the kit that a handler does not look at. `Amount.tryAdd` and its like return false where a number does not fit,
 * and change nothing: who drops that goes on with the old number. Looked for in the compiler's text of the module before it is
 * optimised: there a result that nobody reads is a `drop` around its call, and nothing else is.
 */

/** `;;@ file:line:column` is before the expression that it is of. */
const UNREAD =
  /(?:;;@ (\S+)\n\s*)?\(drop\s+(?:;;@[^\n]*\n\s*)?\(call \$~lib\/chain-upgrade\/assembly\/handler\/[\w/-]+\/(\w+)#(try(\w+))\s/g;

/** A warning for each such call, with its line. */
export function unreadResults(text: string): string[] {
  return [...text.matchAll(UNREAD)].map(([, place, owner, method, name = ""]) => {
    const ending = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    return (
      `${place === undefined ? "" : `${place}: `}the result of ${owner}.${method}() is not read: false says that it changed nothing. ` +
      `Read it, or call ${ending}(), which ends the run instead`
    );
  });
}
