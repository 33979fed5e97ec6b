// All tokens of a text, for cropping: byte ranges and kinds. The arrays are reused; the first
// `count` entries are valid.
import { lengthened } from '../../../format/bytes/index.ts'
export const WORD_TOKEN = 0
export const SOFT_TOKEN = 1
export const HARD_TOKEN = 2

const TOKENS_MIN = 256

export class TokenList {
  count = 0
  starts = new Int32Array(0)
  ends = new Int32Array(0)
  kinds = new Uint8Array(0)

  add(start: number, end: number, kind: number): void {
    const at = this.count++
    if (at === this.starts.length) this.#grow()
    this.starts[at] = start
    this.ends[at] = end
    this.kinds[at] = kind
  }

  #grow(): void {
    const size = Math.max(TOKENS_MIN, this.starts.length * 2)
    this.starts = lengthened(this.starts, size)
    this.ends = lengthened(this.ends, size)
    this.kinds = lengthened(this.kinds, size)
  }
}
