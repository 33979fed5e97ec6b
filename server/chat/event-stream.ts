// Parses server-sent events (WHATWG HTML, section 9.2) from bytes that may be split anywhere. Only
// the field `data` is used, because models send no other. The bytes come from another server, so
// the buffers are limited, and text that is not UTF-8 is a fault.
import { COLON, NEWLINE, RETURN, SPACE } from '../../format/bytes/index.ts'
import { chatError } from './chat-error.ts'
import { EVENT_BYTES_MAX } from './limits.ts'

const BOM = [0xef, 0xbb, 0xbf] as const
const DATA = [0x64, 0x61, 0x74, 0x61] as const

const EMPTY = new Uint8Array(0)

export class EventStreamParser {
  readonly #bytesMax: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  /** The beginning of a line whose end has not arrived. */
  #rest: Uint8Array[] = []
  #restBytes = 0
  /** Data of the current event, or null if it has no data line yet. */
  #data: string[] | null = null
  #dataBytes = 0
  #afterCr = false
  #isFirstLine = true

  constructor(bytesMax = EVENT_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Returns the data of the events that these bytes complete. @throws ChatError */
  push(chunk: Uint8Array): readonly string[] {
    const events: string[] = []
    let at = 0
    if (this.#afterCr && chunk.length > 0) {
      if (chunk[0] === NEWLINE) at = 1
      this.#afterCr = false
    }
    while (at < chunk.length) {
      const end = lineEnd(chunk, at)
      if (end === chunk.length) {
        this.#keep(chunk.subarray(at))
        break
      }
      this.#checkLength(this.#restBytes + end - at)
      // Comments and other fields are skipped without a copy.
      const isData = chunk[at] === DATA[0] || end === at
      if (isData || this.#rest.length > 0 || this.#isFirstLine) {
        this.#line(this.#whole(chunk.subarray(at, end)), events)
      }
      at = end + 1
      if (chunk[end] !== RETURN) continue
      if (at === chunk.length) this.#afterCr = true
      else if (chunk[at] === NEWLINE) at++
    }
    return events
  }

  /** Keeps the beginning of a line as a copy, because the chunk may be much larger. */
  #keep(bytes: Uint8Array): void {
    this.#restBytes += bytes.length
    this.#checkLength(this.#restBytes)
    this.#rest.push(bytes.slice())
  }

  #whole(end: Uint8Array): Uint8Array {
    if (this.#rest.length === 0) return end
    const line = Buffer.concat([...this.#rest, end])
    this.#rest = []
    this.#restBytes = 0
    return line
  }

  #line(bytes: Uint8Array, events: string[]): void {
    const line = this.#isFirstLine ? withoutBom(bytes) : bytes
    this.#isFirstLine = false
    if (line.length === 0) {
      if (this.#data !== null) events.push(this.#data.join('\n'))
      this.#data = null
      this.#dataBytes = 0
      return
    }
    const value = dataIn(line)
    if (value === null) return
    this.#dataBytes += bytes.length
    this.#data ??= []
    this.#data.push(this.#decode(value))
  }

  /** The limit does not depend on the splits: each line counts as a whole, comments included. */
  #checkLength(lineBytes: number): void {
    if (lineBytes + this.#dataBytes <= this.#bytesMax) return
    throw chatError('parser_error', `an event of the model is larger than ${this.#bytesMax} bytes`)
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw chatError('invalid_utf8_error', 'an event of the model is not UTF-8')
    }
  }
}

/**
 * Returns the end of the line that begins at `from`, or the length of the bytes if it is not there.
 */
function lineEnd(bytes: Uint8Array, from: number): number {
  // Locals: modules that are not bundled read imports through getters, which is slow for each byte.
  const [newline, carriageReturn] = [NEWLINE, RETURN]
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === newline || byte === carriageReturn) return at
  }
  return bytes.length
}

/** Returns the value of a `data` field, or null for another field or a comment. */
function dataIn(line: Uint8Array): Uint8Array | null {
  if (DATA.some((byte, at) => line[at] !== byte)) return null
  if (line.length === DATA.length) return EMPTY
  if (line[DATA.length] !== COLON) return null
  const start = DATA.length + 1
  return line.subarray(line[start] === SPACE ? start + 1 : start)
}

const withoutBom = (line: Uint8Array): Uint8Array =>
  BOM.every((byte, at) => line[at] === byte) ? line.subarray(BOM.length) : line
