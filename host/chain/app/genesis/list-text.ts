/** Records as the text of a JSON array, a piece at a time. */
export function* listText<T>(items: Iterable<T>, jsonOf: (item: T) => object): Generator<string> {
  let separator = "[";
  for (const item of items) {
    yield separator + JSON.stringify(jsonOf(item));
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

/** The text of an object, without its last brace: more members follow. */
export const openText = (json: object): string => JSON.stringify(json).slice(0, -1);
