// The interface of an intake: bytes in, stored bytes out, a count or a fault.

/** Receives stored bytes in order; they are valid until the function returns. */
export type BodySink = (bytes: Uint8Array) => void

/** Number of documents in a well-formed body. */
export type IntakeResult = { readonly documents: number }

export interface Intake {
  /**
   * Processes the next bytes, without keeping a reference. @throws EngineFault; the whole body is
   * then refused
   */
  push(chunk: Uint8Array): void
  /** @throws EngineFault */
  finish(): IntakeResult
}
