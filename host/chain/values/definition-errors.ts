/**
 * Errors of the functions that define a chain. A program calls them while its files are loaded, before any command could
 * catch an error, so the command line listens here.
 */

type Listener = (error: unknown) => void;

let listener: Listener | undefined;

/** Sets the function that gets each error of a defining function. The error is thrown all the same. */
export function onDefinitionError(listen: Listener): void {
  listener = listen;
}

/** Runs a function that defines a part of a chain. @throws what `define` throws, after the listener got it */
export function defining<T>(define: () => T): T {
  try {
    return define();
  } catch (error) {
    listener?.(error);
    throw error;
  }
}
