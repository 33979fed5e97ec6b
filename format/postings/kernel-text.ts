// The text of a segment in the memory of the kernel, copied there when it is used often enough ·
// page: ../kernel/KERNEL.md
import type { Section } from '../frame/index.ts'
import { type Fst, KernelFst } from '../fst/index.ts'
import type { SegmentNo } from '../ids.ts'
import { kernel } from '../kernel/index.ts'
import { KernelPostings } from './kernel-postings.ts'

/** Segments of fewer terms are left to the twins: they are many, and soon merged. */
const TERMS_MIN = 4096
/** Another thread copies a dictionary in less than a millisecond; after that there is no room. */
const FST_TRIES_MAX = 16
/**
 * Postings are copied with this call: the first search after a start should not wait for the copy.
 */
const POSTINGS_CALLS_MIN = 64

type Sections = { readonly fst: Fst; readonly offsets: Uint32Array; readonly post: Section }
type Numbers = { readonly documents: number; readonly idMin: number; readonly idMax: number }

export class KernelText {
  readonly #segment: SegmentNo
  readonly #sections: Sections
  readonly #numbers: Numbers
  #fst: KernelFst | null = null
  #fstTries = 0
  #postings: KernelPostings | null = null
  #postingsCalls = 0

  private constructor(segment: SegmentNo, sections: Sections, numbers: Numbers) {
    this.#segment = segment
    this.#sections = sections
    this.#numbers = numbers
  }

  /** Returns null for a segment that is too small to be copied. Copies nothing yet. */
  static of(segment: SegmentNo, sections: Sections, numbers: Numbers): KernelText | null {
    return sections.fst.size < TERMS_MIN ? null : new KernelText(segment, sections, numbers)
  }

  /** Releases the copies, which must not be used afterwards. */
  release(): void {
    if (this.#fst !== null || this.#postings !== null) kernel().memory.release(this.#segment)
  }

  /** Returns the dictionary, or null if it is not in the memory. */
  fst(): KernelFst | null {
    if (this.#fst === null && this.#fstTries < FST_TRIES_MAX) {
      this.#fstTries++
      this.#fst = KernelFst.of(this.#sections.fst, this.#segment)
    }
    return this.#fst
  }

  /** Returns the postings, or null if they are not in the memory yet. @throws CorruptionError */
  postings(): KernelPostings | null {
    if (this.#postings !== null) return this.#postings
    // Another thread may be copying: tried again at powers of two.
    const calls = ++this.#postingsCalls
    if (calls < POSTINGS_CALLS_MIN || (calls & (calls - 1)) !== 0) return null
    const { offsets, post } = this.#sections
    const bytes = KernelPostings.bytesOf(post.length, offsets.length - 1)
    this.#postings = KernelPostings.of(this.#segment, bytes, this.#numbers, () => ({
      postings: post.all(),
      offsets,
      ...this.#numbers,
    }))
    return this.#postings
  }
}
