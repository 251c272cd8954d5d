export function testsNear(changed: readonly string[]): {
  readonly quick: readonly string[];
  readonly slow: readonly string[];
  readonly unknown: readonly string[];
  readonly needsBuild: boolean;
};
