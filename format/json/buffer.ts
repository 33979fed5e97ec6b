// A growing run of bytes whose inside is open: loops that write single bytes work on `bytes`
// directly and set `length` afterwards. Encoders of formats use ByteWriter; this one is for JSON
// text.
import { lengthened, MiB } from '../bytes/index.ts'

/** Below this many bytes a plain loop beats `set` with its view: 60 ns a call. */
const LOOP_BYTES_MAX = 40
/** Shorter texts are copied when they are taken, so that no memory is lost behind them. */
const COPIED_BYTES_MAX = MiB

/**
 * From this size on a text grows eightfold: what it is copied from is garbage until V8 collects
 * it, and doubling leaves as much of it as the text is long. What is reserved in excess is not
 * touched.
 */
const LARGE_BYTES = MiB
const LARGE_GROWTH = 8

/** How long the text may become. */
type Ceiling = {
  readonly bytesMax: number
  /** Made when more is written. */
  readonly full: () => Error
}

export class JsonBuffer {
  /** Replaced when it grows: read it anew after `reserve`. */
  bytes: Uint8Array
  length = 0

  readonly #ceiling: Ceiling | null

  /** `ceiling` null: what memory allows. */
  constructor(capacity = 1024, ceiling: Ceiling | null = null) {
    this.#ceiling = ceiling
    this.bytes = new Uint8Array(capacity)
  }

  /** Makes room for `count` more bytes behind `length`. @throws the error of the ceiling */
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

  /** Appends text that is ASCII. */
  ascii(text: string): void {
    this.reserve(text.length)
    const { bytes } = this
    let at = this.length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.length = at
  }

  /** What was written so far; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  /**
   * What was written, for as long as it is wanted; nothing may be written any more. Large texts are
   * not copied: the memory behind them that was reserved and not used has never been touched.
   */
  take(): Uint8Array {
    return this.length < COPIED_BYTES_MAX ? this.finish() : this.view()
  }

  /** Forgets everything, keeps the memory. */
  clear(): void {
    this.length = 0
  }
}
