// Keeps one hit for each distinct value while hits are merged. A hit may have several values; it is
// left out if it shares one of them with an earlier hit.

export class DistinctMerger {
  readonly #seen = new Set<string>()

  /** Returns true if no earlier hit shares a value with this one, and remembers its values. */
  admit(values: readonly string[]): boolean {
    if (values.some((value) => this.#seen.has(value))) return false
    for (const value of values) this.#seen.add(value)
    return true
  }
}
