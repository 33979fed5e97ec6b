// The interface of an architecture, as models use it.

/** Computes a row for each token: one of the architectures. */
export interface Encoder {
  /** Values per row. */
  readonly width: number
  readonly tokensMax: number
  /** Number of tokens in the vocabulary. */
  readonly vocabulary: number
  /** Returns the last hidden states: a row for each token. @throws ModelFault */
  encode(tokens: Uint32Array): Float32Array | Promise<Float32Array>
  /** Releases resources that garbage collection does not. */
  close?(): Promise<void>
}
