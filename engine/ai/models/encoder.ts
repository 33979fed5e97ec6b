// An architecture as a model uses it.

/** What makes rows of tokens: one of the architectures. */
export interface Encoder {
  /** Of a row. */
  readonly width: number
  readonly tokensMax: number
  /** The last hidden states: a row for each token. */
  encode(tokens: Uint32Array): Float32Array
}
