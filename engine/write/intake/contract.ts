// What an intake is: bytes in, stored bytes out, a count or a fault.

/** Takes stored bytes in order; they are valid until it returns. */
export type BodySink = (bytes: Uint8Array) => void

/** How many documents a well-formed body holds. */
export type IntakeResult = { readonly documents: number }

export interface Intake {
  /**
   * Takes the next bytes; they are not kept. @throws EngineFault; the body is then refused as a
   * whole
   */
  push(chunk: Uint8Array): void
  /** @throws EngineFault */
  finish(): IntakeResult
}
