// A search that stopped because it needs the vector of its query: the caller computes the vector
// and searches again. Only the search knows which embedder is used and that words alone are not
// enough.

/** The vector that the caller has to compute. Crosses the thread as a reply of its own kind. */
export type NeededVector = {
  /** Position among the searches of a request. */
  readonly query: number
  /** The embedder, as stored in the settings. */
  readonly embedder: unknown
  /** Milliseconds that the search may take. */
  readonly cutoffMs: number
  /** True if the search can also answer from words alone. */
  readonly isOptional: boolean
}

/** Ends the search on its thread, and the request that waits for it. */
export class VectorNeeded extends Error {
  override readonly name = 'VectorNeeded'
  constructor(readonly needed: NeededVector) {
    super('the search needs the vector of its query')
  }
}
