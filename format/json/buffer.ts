// A growing byte array that is open to its users: loops that write single bytes write to `bytes`
// directly and set `length` afterwards. For JSON text; encoders of formats use ByteWriter.
import { lengthened, MiB } from '../bytes/index.ts'

/** Below this length a loop is faster than `set` with its view: 60 ns per call. */
const LOOP_BYTES_MAX = 40
/** Shorter texts are copied by `take`, so the unused memory after them is freed. */
const COPIED_BYTES_MAX = MiB

/**
 * From this size on a text grows eightfold: the old copy is garbage until V8 collects it, and
 * doubling leaves as much garbage as the text is long. Reserved memory that is not used is never
 * touched.
 */
const LARGE_BYTES = MiB
const LARGE_GROWTH = 8

/** The greatest length of a text. */
type Ceiling = {
  readonly bytesMax: number
  /** Creates the error to throw when more is written. */
  readonly full: () => Error
}

export class JsonBuffer {
  /** Replaced when the text grows: read it again after `reserve`. */
  bytes: Uint8Array
  length = 0

  readonly #ceiling: Ceiling | null

  /** `ceiling`: null if only memory limits the text. */
  constructor(capacity = 1024, ceiling: Ceiling | null = null) {
    this.#ceiling = ceiling
    this.bytes = new Uint8Array(capacity)
  }

  /** Makes room for `count` more bytes after `length`. @throws the error of the ceiling */
  reserve(count: number): void {
    const wanted = this.length + count
    if (wanted <= this.bytes.length) return
    const ceiling = this.#ceiling
    if (ceiling !== null && wanted > ceiling.bytesMax) throw ceiling.full()
    const most = ceiling?.bytesMax ?? Number.POSITIVE_INFINITY
    const { length } = this.bytes
    const grown = length * (length < LARGE_BYTES ? 2 : LARGE_GROWTH)
    this.bytes = lengthened(this.bytes, Math.min(Math.max(wanted, grown), most))
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** Appends source[from, to). */
  append(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from)
    if (to - from > LOOP_BYTES_MAX) {
      this.bytes.set(source.subarray(from, to), this.length)
      this.length += to - from
      return
    }
    const bytes = this.bytes
    let at = this.length
    for (let i = from; i < to; i++) bytes[at++] = source[i]!
    this.length = at
  }

  /** Appends text, which must be ASCII. */
  ascii(text: string): void {
    this.reserve(text.length)
    const { bytes } = this
    let at = this.length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.length = at
  }

  /** Returns a view of the bytes written so far; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  /** Returns a copy of the bytes written so far. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  /**
   * Returns the bytes written, for any length of time; the buffer must not be written to
   * afterwards. Large texts are not copied: the reserved memory after them was never touched.
   */
  take(): Uint8Array {
    return this.length < COPIED_BYTES_MAX ? this.finish() : this.view()
  }

  /** Removes all bytes, but keeps the memory. */
  clear(): void {
    this.length = 0
  }
}
