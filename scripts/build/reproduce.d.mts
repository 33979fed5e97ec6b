// Types of the script, for the test that uses it.
export function buildIn(folder: string): void
export function sumsOf(folder: string): ReadonlyMap<string, string>
export function differences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly string[]
