// Unions and occurrences of terms by the kernel, over a copy of the postings of a segment in its
// memory · page: ../kernel/KERNEL.md
//
// Each function returns null where the twins must do the work: for damaged bytes, whose error they
// throw, and for requests or results that do not fit into the room. The sizes here are those of
// `../kernel/postings.as`.
import { bytesOf } from '../bytes/index.ts'
import type { FieldId, SegmentNo } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { type Kernel, kernelIfAny, POSTINGS_PART } from '../kernel/index.ts'

/** Members of the header of a segment, u32 each: see `postings.as`. */
const HEADER_BYTES = 32

const ORDINALS_AT = 0
const ORDINALS_MAX = 4096
const NAMES_AT = 16_384
const NAMES_MAX = 1024
const CANDIDATES_AT = 283_264
const CANDIDATES_MAX = 32_768
const STARTS_AT = 414_336
const PACKED_AT = 2_249_352
const BITS_AT = 2_773_640

const REFUSED = -1
const EVERYWHERE = 0
const IN_FIELDS = 1
const IN_BUCKETS = 2

/** The sections of a segment, verified, and its numbers. */
export type PostingsSource = {
  readonly postings: Uint8Array
  /** By ordinal: offset of a posting; then the end of the last one. */
  readonly offsets: Uint32Array
  readonly documents: number
  readonly idMin: number
  readonly idMax: number
}

/** Occurrences of document i are packed[starts[i], starts[i + 1]). */
export type KernelOccurrences = { readonly starts: Uint32Array; readonly packed: Uint32Array }

/** The room of this thread; grows with the largest segment. */
let room: {
  readonly kernel: Kernel
  readonly bytes: Buffer
  readonly numbers: Uint32Array
} | null = null

function roomFor(kernel: Kernel, length: number): Uint32Array {
  if (room === null || room.kernel !== kernel || room.bytes.length < length) {
    const instead = room?.kernel === kernel ? room.bytes : null
    const bytes = kernel.lastingRoom(length, instead)
    room = { kernel, bytes, numbers: new Uint32Array(bytes.buffer, bytes.byteOffset, length >>> 2) }
  }
  return room.numbers
}

/** Postings in the memory of the kernel. Belongs to one thread. */
export class KernelPostings {
  readonly #kernel: Kernel
  readonly #at: number
  readonly #firstWord: number
  readonly #wordEnd: number

  private constructor(kernel: Kernel, at: number, idMin: number, idMax: number) {
    this.#kernel = kernel
    this.#at = at
    this.#firstWord = idMin >>> 5
    this.#wordEnd = (idMax >>> 5) + 1
  }

  /**
   * Returns the postings of a segment in the memory of the kernel. The first thread copies them
   * there: `source` verifies and returns them, `bytes` long. Null if there is no kernel, no room,
   * or another thread is copying.
   */
  static of(
    segment: SegmentNo,
    bytes: number,
    { idMin, idMax }: Pick<PostingsSource, 'idMin' | 'idMax'>,
    source: () => PostingsSource,
  ): KernelPostings | null {
    const kernel = kernelIfAny()
    if (kernel === null) return null
    const wanted = { segment, part: POSTINGS_PART, bytes: HEADER_BYTES + bytes }
    const at = kernel.memory.hold(wanted, (to) => fill(kernel, to, source()))
    return at === null ? null : new KernelPostings(kernel, at, idMin, idMax)
  }

  /** Returns the bytes that `of` needs for sections of these lengths. */
  static bytesOf(postingBytes: number, terms: number): number {
    return align4(postingBytes) + (terms + 1) * 4
  }

  /**
   * Returns the documents with any of the terms ordinals[0, count), in one of the fields or
   * position buckets if given.
   */
  unite(
    ordinals: Uint32Array,
    count: number,
    fields: readonly FieldId[] | null,
    buckets: readonly number[] | null,
  ): IdSet | null {
    const names = buckets ?? fields ?? []
    if (count > ORDINALS_MAX || names.length > NAMES_MAX) return null
    const numbers = this.#room()
    for (let i = 0; i < count; i++) numbers[(ORDINALS_AT >>> 2) + i] = ordinals[i]!
    for (let i = 0; i < names.length; i++) numbers[(NAMES_AT >>> 2) + i] = names[i]!
    const where = buckets !== null ? IN_BUCKETS : fields !== null ? IN_FIELDS : EVERYWHERE
    const { unite } = this.#kernel.exports
    const size = unite(this.#at, numbers.byteOffset, count, where, names.length)
    if (size === REFUSED) return null
    const bits = BITS_AT >>> 2
    const words = this.#wordEnd - this.#firstWord
    if (size < this.#wordEnd) {
      return IdSet.ofSorted(numbers.slice(bits + words, bits + words + size))
    }
    const all = new Uint32Array(this.#wordEnd)
    all.set(numbers.subarray(bits, bits + words), this.#firstWord)
    return IdSet.ofWords(all)
  }

  /**
   * Returns the occurrences of the terms ordinals[0, count), and of those in [from, to), in
   * ascending `ids`; in each document ascending.
   */
  occurrences(
    ordinals: readonly number[],
    from: number,
    to: number,
    ids: Uint32Array,
  ): KernelOccurrences | null {
    if (ordinals.length > ORDINALS_MAX || ids.length > CANDIDATES_MAX) return null
    const numbers = this.#room()
    for (let i = 0; i < ordinals.length; i++) numbers[(ORDINALS_AT >>> 2) + i] = ordinals[i]!
    numbers.set(ids, CANDIDATES_AT >>> 2)
    const { occurrences } = this.#kernel.exports
    const own = numbers.byteOffset
    const count = occurrences(this.#at, own, ordinals.length, from, to, ids.length)
    if (count === REFUSED) return null
    const starts = STARTS_AT >>> 2
    const packed = PACKED_AT >>> 2
    return {
      starts: numbers.slice(starts, starts + ids.length + 1),
      packed: numbers.slice(packed, packed + count),
    }
  }

  #room(): Uint32Array {
    const words = 2 * this.#wordEnd - this.#firstWord
    return roomFor(this.#kernel, BITS_AT + words * 4)
  }
}

function fill(kernel: Kernel, at: number, source: PostingsSource): void {
  const { postings, offsets, documents, idMin, idMax } = source
  const offsetsAt = HEADER_BYTES + align4(postings.length)
  const terms = offsets.length - 1
  const header = Uint32Array.of(idMin, idMax, documents, terms, postings.length, offsetsAt, 0, 0)
  kernel.write(at, new Uint8Array(header.buffer))
  kernel.write(at + HEADER_BYTES, postings)
  kernel.write(at + offsetsAt, bytesOf(offsets))
}

const align4 = (n: number): number => (n + 3) & ~3
