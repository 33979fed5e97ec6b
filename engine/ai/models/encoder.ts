// An architecture as a model uses it.

/** What makes rows of tokens: one of the architectures. */
export interface Encoder {
  /** Of a row. */
  readonly width: number
  readonly tokensMax: number
  /** How many tokens there are. */
  readonly vocabulary: number
  /** The last hidden states: a row for each token. @throws ModelFault */
  encode(tokens: Uint32Array): Float32Array | Promise<Float32Array>
  /** Gives back what a collection of garbage does not. */
  close?(): Promise<void>
}
