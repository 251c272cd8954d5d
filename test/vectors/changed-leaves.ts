/** A value of JSON with one of its leaves changed, leaf after leaf: a runner that compares all of it fails for each. */

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export function* changedLeaves(value: Json): Generator<Json> {
  if (typeof value === "string") yield value.endsWith("0") ? `${value.slice(0, -1)}1` : `${value.slice(0, -1)}0`;
  else if (typeof value === "number") yield value + 1;
  else if (typeof value === "boolean") yield !value;
  else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) for (const each of changedLeaves(part)) yield value.with(index, each);
    yield value.length > 0 ? value.slice(0, -1) : [0];
  } else if (value !== null) {
    for (const [name, part] of Object.entries(value)) {
      for (const each of changedLeaves(part)) yield { ...value, [name]: each } as Json;
      const { [name]: _, ...others } = value as { readonly [name: string]: Json };
      yield others;
    }
  }
}
