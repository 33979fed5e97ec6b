// A search that stopped because it needs the vector of its query: the caller makes one and searches
// again. Only the search knows which embedder is meant, and that words alone are not enough.

export class VectorNeeded extends Error {
  override readonly name = 'VectorNeeded'
  constructor(
    /** Which of the searches of a request. */
    readonly query: number,
    /** Its embedder, as the settings hold it. */
    readonly embedder: unknown,
    /** How long the search may take. */
    readonly cutoffMs: number,
    /** Whether words alone answer it as well. */
    readonly isOptional: boolean,
  ) {
    super('the search needs the vector of its query')
  }
}
