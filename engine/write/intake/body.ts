// Stored bodies: documents one after another, with or without white space between them. They have
// passed the intake.
import { skipSpace, skipValue } from '../../../format/json/index.ts'

/**
 * Iterates over the documents of a stored body, or of any part of one that begins between
 * documents.
 */
class BodyReader {
  readonly bytes: Uint8Array
  /** The present document is bytes[start, end). */
  start: number
  end: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.start = at
    this.end = at
  }

  /**
   * Moves to the next document; returns false at the end. Reads it once. @throws CorruptionError
   */
  next(): boolean {
    this.start = skipSpace(this.bytes, this.end)
    this.end = this.start
    if (this.start === this.bytes.length) return false
    this.end = skipValue(this.bytes, this.start)
    return true
  }
}

export const readBody = (bytes: Uint8Array): BodyReader => new BodyReader(bytes)
