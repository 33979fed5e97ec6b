// Numbers: where they end, and whether they are in the range of doubles. The range needs the bytes
// of a number only if it is long or cut by the end of a chunk.
import { JsonBuffer } from './buffer.ts'
import {
  N_EXPONENT,
  N_INTEGER,
  NUMBER_OVER,
  NUMBER_WRONG,
  numberBegin,
  numberStep,
} from './grammar.ts'
import { numberText } from './numbers.ts'

/** A shorter number with an exponent of fewer than three digits is within the range of doubles. */
const LARGE_NUMBER_BYTES = 200

export class NumberReader {
  /** Offset of the number in the text. */
  #start = 0
  /** The bytes of the number in earlier chunks. */
  readonly #head = new JsonBuffer(64)
  /** The state after the bytes that `read` has read. */
  state = 0
  /** True if the byte at which `read` ended cannot follow. */
  isWrong = false

  /** Begins a number with its first byte, a minus or a digit; returns its state. */
  begin(offset: number, c: number): number {
    this.#start = offset
    this.#head.clear()
    return numberBegin(c)
  }

  /** Reads on from `at`; returns the position of the first byte that does not belong to it. */
  read(chunk: Uint8Array, at: number, state: number): number {
    const end = chunk.length
    let next = state
    for (; at < end; at++) {
      if (state >= N_INTEGER) while (at < end && (chunk[at]! ^ 0x30) < 10) at++
      if (at === end) break
      next = numberStep(state, chunk[at]!)
      if (next >= NUMBER_OVER) break
      state = next
    }
    this.state = state
    this.isWrong = next === NUMBER_WRONG
    return at
  }

  /** Stores what is missing of the number up to position `at` of the chunk at offset `base`. */
  store(chunk: Uint8Array, base: number, at: number): void {
    const from = this.#start + this.#head.length - base
    if (from < at) this.#head.append(chunk, from, at)
  }

  /**
   * Returns true if the number that ends before `at` is in the range of doubles. Only large
   * numbers, and those cut by a chunk or by the end of the text (`isLast`), are converted.
   */
  isInRange(chunk: Uint8Array, base: number, at: number, isLast: boolean): boolean {
    const isWhole = !isLast && this.#start >= base
    if (isWhole && !this.#mayBeLarge(chunk, base, at)) return true
    this.store(chunk, base, at)
    return Number.isFinite(Number(numberText(this.#head.bytes, 0, this.#head.length)))
  }

  #mayBeLarge(chunk: Uint8Array, base: number, at: number): boolean {
    if (base + at - this.#start >= LARGE_NUMBER_BYTES) return true
    if (this.state !== N_EXPONENT) return false
    const c = chunk[at - 3]!
    return c >= 0x30 && c <= 0x39
  }
}
