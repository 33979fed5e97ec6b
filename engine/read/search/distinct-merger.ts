// Keeps one hit for each distinct value while hits are merged. A hit may have several values;
// sharing one of them with a hit that came before is enough to be left out.

export class DistinctMerger {
  readonly #seen = new Set<string>()

  /** Whether no hit before shares a value with this one; if so, its values are taken. */
  admit(values: readonly string[]): boolean {
    if (values.some((value) => this.#seen.has(value))) return false
    for (const value of values) this.#seen.add(value)
    return true
  }
}
