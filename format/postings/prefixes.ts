// Collects the postings of stored prefixes while terms arrive in byte order · ./POSTINGS.md
//
// Terms with a common prefix are adjacent, so the occurrences of a prefix are one range of a
// buffer, which is emptied whenever the first byte changes, and into bits when it is large and only
// the prefix of one byte still needs its occurrences. Only ranges of prefixes with enough
// terms become sets: on 25,000 documents with 1.3 M occurrences those are 3 of the 4 levels on
// average.

import { lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { STORED_PREFIX_BYTES_MAX, STORED_PREFIX_TERMS_MIN } from './limits.ts'
import { OccurrenceBits } from './occurrence-bits.ts'
import { dropRepeats, OccurrenceSets, type PostingSets } from './occurrence-sets.ts'
import { PostingEncoder } from './posting-encode-v1.ts'
import { type Scratch, StoredPrefixes } from './stored-prefixes.ts'

/** Up to this many entries are copied by a loop: `set` needs a view. */
const LOOP_ENTRIES_MAX = 32
/** Entries of the buffer from which on they become bits of the prefix of one byte: 8 MiB. */
const FOLDED_ENTRIES_MIN = 1 << 20

export class PrefixCollector {
  readonly #idMin: number
  readonly #span: number
  #docs = new Uint32Array(1 << 12)
  #packed = new Uint32Array(1 << 12)
  #count = 0
  /**
   * By level (prefix length − 1): the key of the current prefix or 0, its first entry in the
   * buffer, its number of terms.
   */
  readonly #keys = new Uint32Array(STORED_PREFIX_BYTES_MAX)
  readonly #starts = new Float64Array(STORED_PREFIX_BYTES_MAX)
  readonly #terms = new Uint32Array(STORED_PREFIX_BYTES_MAX)
  /** The first bytes of the last term. */
  readonly #last = new Uint8Array(STORED_PREFIX_BYTES_MAX)
  #lastLength = 0
  readonly #scratch: Uint32Array
  /** Made for the first stored prefix; segments of a few documents have none. */
  #encoder: PostingEncoder | null = null
  #sets: OccurrenceSets | null = null
  readonly #done: StoredPrefixes
  /** Occurrences of the current first byte that left the buffer; null if none did so far. */
  #bits: OccurrenceBits | null = null
  readonly #foldedMin: number

  /**
   * All documents are in [idMin, idMax]. `openScratch`: see `StoredPrefixes`. `foldedMin`: for
   * tests.
   */
  constructor(
    idMin: number,
    idMax: number,
    openScratch: (() => Scratch) | null = null,
    foldedMin = FOLDED_ENTRIES_MIN,
  ) {
    this.#done = new StoredPrefixes(openScratch)
    this.#foldedMin = foldedMin
    assert(idMin <= idMax, 'the smallest id is not above the largest')
    this.#idMin = idMin
    this.#span = idMax - idMin + 1
    this.#scratch = new Uint32Array((this.#span >>> 5) + 1)
  }

  /**
   * Adds the next term with its occurrences [from, to), as for `PostingEncoder.encode`. A term that
   * begins with a control character is never searched by its beginning.
   */
  add(term: Uint8Array, docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    if (term[0]! < 0x20) return
    const shared = this.#sharedWithLast(term)
    this.#closeFrom(shared)
    for (let level = 0; level < shared; level++)
      if (this.#keys[level] !== 0) this.#terms[level]! += 1
    this.#open(term, shared)
    this.#append(docs, packed, from, to)
  }

  #sharedWithLast(term: Uint8Array): number {
    const end = Math.min(STORED_PREFIX_BYTES_MAX, term.length, this.#lastLength)
    let shared = 0
    while (shared < end && term[shared] === this.#last[shared]) shared++
    this.#lastLength = Math.min(term.length, STORED_PREFIX_BYTES_MAX)
    for (let i = shared; i < this.#lastLength; i++) this.#last[i] = term[i]!
    return shared
  }

  /** Returns all stored prefixes. */
  finish(): StoredPrefixes {
    this.#closeFrom(0)
    return this.#done
  }

  #open(term: Uint8Array, from: number): void {
    let key = 0
    for (let level = 0; level < STORED_PREFIX_BYTES_MAX && level < term.length; level++) {
      key = (key | (term[level]! << (24 - level * 8))) >>> 0
      if (level < from || !endsOnCharacter(term, level + 1)) continue
      this.#keys[level] = key
      this.#starts[level] = this.#count
      this.#terms[level] = 1
    }
  }

  #closeFrom(level: number): void {
    for (let l = STORED_PREFIX_BYTES_MAX - 1; l >= level; l--) {
      if (this.#keys[l] !== 0 && this.#terms[l]! >= STORED_PREFIX_TERMS_MIN) this.#store(l)
      this.#keys[l] = 0
    }
    if (level === 0) this.#bits = null
    else if (level === 1 && this.#keys[0] !== 0 && this.#count >= this.#foldedMin) {
      this.#fold((this.#bits ??= new OccurrenceBits(this.#idMin, this.#span)))
    }
    for (const key of this.#keys) if (key !== 0) return
    this.#count = 0
  }

  #append(docs: Uint32Array, packed: Uint32Array, from: number, to: number): void {
    const end = this.#count + (to - from)
    if (end > this.#docs.length) {
      this.#docs = lengthened(this.#docs, Math.max(end, this.#docs.length * 2))
      this.#packed = lengthened(this.#packed, this.#docs.length)
    }
    const at = this.#count
    this.#count = end
    if (to - from > LOOP_ENTRIES_MAX) {
      this.#docs.set(docs.subarray(from, to), at)
      this.#packed.set(packed.subarray(from, to), at)
      return
    }
    for (let i = from; i < to; i++) {
      this.#docs[at + i - from] = docs[i]!
      this.#packed[at + i - from] = packed[i]!
    }
  }

  /** Empties the buffer; only the prefix of one byte is open. */
  #fold(bits: OccurrenceBits): void {
    bits.add(this.#docs, this.#packed, this.#starts[0]!, this.#count)
    this.#starts[0] = 0
    this.#count = 0
  }

  #store(level: number): void {
    this.#encoder ??= new PostingEncoder(this.#idMin)
    const encoder = this.#encoder
    encoder.restart()
    encoder.encodeSets(this.#setsOf(level))
    this.#done.add(this.#keys[level]!, encoder.flush())
  }

  #setsOf(level: number): PostingSets {
    if (level === 0 && this.#bits !== null) {
      this.#fold(this.#bits)
      return this.#bits.sets()
    }
    this.#sets ??= new OccurrenceSets(this.#distinct)
    return this.#sets.collect(this.#docs, this.#packed, this.#starts[level]!, this.#count)
  }

  /** Returns the distinct ids, ascending. Sorts if a bitmap would cost more. */
  readonly #distinct = (ids: Uint32Array): Uint32Array => {
    if (ids.length < this.#scratch.length / 8) return dropRepeats(ids.sort())
    const words = this.#scratch
    const base = this.#idMin
    for (let i = 0; i < ids.length; i++) {
      const bit = ids[i]! - base
      words[bit >>> 5]! |= 1 << (bit & 31)
    }
    let n = 0
    for (let w = 0; w < words.length; w++) {
      let bits = words[w]!
      words[w] = 0
      for (; bits !== 0; bits &= bits - 1) ids[n++] = base + w * 32 + 31 - Math.clz32(bits & -bits)
    }
    return ids.subarray(0, n)
  }
}

/** Returns true if the first `length` bytes of a term end between two characters. */
function endsOnCharacter(term: Uint8Array, length: number): boolean {
  return length === term.length || (term[length]! & 0xc0) !== 0x80
}

/** Returns the key of a prefix of 1 to 4 bytes. */
export function prefixKey(prefix: Uint8Array): number {
  assert(prefix.length <= STORED_PREFIX_BYTES_MAX, 'a prefix key holds at most four bytes')
  let key = 0
  for (let i = 0; i < prefix.length; i++) key = (key | (prefix[i]! << (24 - i * 8))) >>> 0
  return key
}
