/** Every way that leads from a file back to it, by what each file uses. */
export function cyclesOf(uses: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): string[] => {
    if (way.includes(file)) return [[...way.slice(way.indexOf(file)), file].join(" → ")];
    if (done.has(file)) return [];
    const found = (uses.get(file) ?? []).flatMap((next) => visit(next, [...way, file]));
    done.add(file);
    return found;
  };
  return [...uses.keys()].flatMap((file) => visit(file, []));
}
