// The strings as they were written, for display · layout: ./FIELDS.md, "Originals"
//
// Most values have one original, and most originals differ from the normalised string only in case.
// So an entry says how to derive the original from the normalised string: unchanged, by a rule, or
// by one bit per byte. Other originals are stored as text.
import { ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { ValueOrdinal } from '../ids.ts'
import { BLOCK, BlockEntries } from './block-entries.ts'
import type { StringsData } from './field-data.ts'
import { countUpTo, type Packed, packedBytes, packedView, widthFor } from './packed.ts'
import type { PartReader, PartWriter } from './parts.ts'

const FORM_BITS = 3

/**
 * Forms: how an original is derived from its normalised string. Only ASCII letters become capitals.
 * Form 0: unchanged.
 */
const SAME = 0
/** A capital at the beginning of each word. */
const WORDS = 1
/** A capital at the beginning of the string. */
const FIRST = 2
/** Capitals throughout. */
const UPPER = 3
/** One bit per byte, lowest first: 1 for a capital. */
const BITS = 4
/** The original itself is stored. */
const TEXT = 5
/** Value in the head if the forms differ: each variant then has an entry. */
const VARIOUS = 6

/** Writes the originals of all variants, and which variants share a normalised string. */
export function writeOriginals(strings: StringsData, head: ByteWriter, parts: PartWriter): void {
  const { normalised, originals, normalisedOf } = strings
  const count = normalisedOf.length
  assert(count === originals.starts.length, 'each original has a normalised string')
  assert(count >= normalised.starts.length, 'each normalised string has an original')
  const further = furtherVariants(normalisedOf)
  const offsets = new ByteWriter(64)
  const entries = new ByteWriter(1024)
  let uniform = -1
  for (let v = 0; v < count; v++) {
    const n = normalisedOf[v]!
    const text = originals.bytes.subarray(originals.starts[v]!, originals.ends[v]!)
    const base = normalised.bytes.subarray(normalised.starts[n]!, normalised.ends[n]!)
    if (v % BLOCK === 0 && v > 0) offsets.u32(entries.length)
    const form = writeOriginal(text, base, entries)
    if (v === 0) uniform = form
    else if (uniform !== form) uniform = VARIOUS
  }
  const isRule = uniform <= UPPER
  head.varint(count - normalised.starts.length)
  head.varint(isRule ? uniform : VARIOUS)
  parts.add(packedBytes(further, further.length, widthFor(count)), widthFor(count))
  if (isRule) return
  head.varint(entries.length)
  parts.add(offsets.finish(), 4)
  parts.add(entries.finish(), 1)
}

/** Returns the variants that are not the first of their normalised string; usually few. */
function furtherVariants(normalisedOf: Uint32Array): Uint32Array {
  const further: number[] = []
  for (let v = 1; v < normalisedOf.length; v++) {
    if (normalisedOf[v] === normalisedOf[v - 1]) further.push(v)
  }
  return Uint32Array.from(further)
}

/** Writes one entry in the cheapest form and returns the form. */
function writeOriginal(text: Uint8Array, base: Uint8Array, entries: ByteWriter): number {
  const form = formOf(text, base)
  if (form <= UPPER) {
    entries.varint(form)
    return form
  }
  if (form === TEXT) {
    entries.varint(text.length * (1 << FORM_BITS) + TEXT)
    entries.bytes(text)
    return TEXT
  }
  const bits = new Uint8Array(Math.ceil(text.length / 8))
  for (let i = 0; i < text.length; i++) if (text[i] !== base[i]) bits[i >>> 3]! |= 1 << (i & 7)
  entries.varint(bits.length * (1 << FORM_BITS) + BITS)
  entries.bytes(bits)
  return BITS
}

function formOf(text: Uint8Array, base: Uint8Array): number {
  if (text.length !== base.length) return TEXT
  let same = true
  let words = true
  let first = true
  let upper = true
  for (let i = 0; i < text.length; i++) {
    const isCapital = text[i] !== base[i]
    if (isCapital && (!isSmallLetter(base[i]!) || text[i] !== base[i]! - 32)) return TEXT
    const canBe = isSmallLetter(base[i]!)
    if (isCapital) same = false
    if (isCapital !== (canBe && i === 0)) first = false
    if (isCapital !== canBe) upper = false
    if (isCapital !== (canBe && startsWord(base, i))) words = false
  }
  if (same) return SAME
  if (words) return WORDS
  if (first) return FIRST
  return upper ? UPPER : BITS
}

const isSmallLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a

/**
 * Returns true if a word begins at `at`: the byte before is not a letter, a digit, an apostrophe or
 * above ASCII.
 */
function startsWord(bytes: Uint8Array, at: number): boolean {
  if (at === 0) return true
  const before = bytes[at - 1]!
  const isInside =
    isSmallLetter(before) || (before >= 0x30 && before <= 0x39) || before === 0x27 || before >= 128
  return !isInside
}

/** Reads originals in place. A variant is an original of a normalised string. */
export class Originals {
  /** Number of variants, at least one for each normalised string. */
  readonly count: number
  readonly #section: Section
  readonly #further: Packed
  readonly #furtherAt: number
  readonly #uniform: number
  readonly #entries: BlockEntries

  constructor(section: Section, stringCount: number, reader: PartReader) {
    this.#section = section
    const furtherCount = reader.head.varint()
    this.count = stringCount + furtherCount
    this.#uniform = reader.head.varint()
    reader.expect(this.#uniform <= UPPER || this.#uniform === VARIOUS, 'a form', this.#uniform)
    const width = widthFor(this.count)
    this.#furtherAt = reader.part(furtherCount * width, width)
    this.#further = packedView(section, this.#furtherAt, furtherCount, width)
    const isVarious = this.#uniform === VARIOUS
    const entriesBytes = isVarious ? reader.head.varint() : 0
    this.#entries = new BlockEntries(section, isVarious ? this.count : 0, entriesBytes, reader)
  }

  /**
   * True if each normalised string has one original: variants and strings then have the same
   * ordinals.
   */
  get areSingle(): boolean {
    return this.#further.length === 0
  }

  /** Returns the variants that are not the first of their string, ascending; verified. */
  further(): Packed {
    const further = this.#further
    this.#section.touch(this.#furtherAt, further.length * further.BYTES_PER_ELEMENT)
    return further
  }

  /** Returns the ordinal of the normalised string of `variant`. */
  normalisedOf(variant: number): number {
    return this.areSingle ? variant : variant - countUpTo(this.further(), variant)
  }

  /** Returns the first variant of normalised string `ordinal`. */
  firstVariant(ordinal: ValueOrdinal): number {
    if (this.areSingle) return ordinal
    const further = this.further()
    let low = 0
    let high = further.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (further[middle]! - middle - 1 < ordinal) low = middle + 1
      else high = middle
    }
    return ordinal + low
  }

  /**
   * Returns the original of `variant`, derived from its normalised string; a new array.
   * @throws CorruptionError if there is no such variant: variants are read from rows
   */
  restore(variant: number, normalised: Uint8Array): Uint8Array {
    if (variant >= this.count) {
      refuse(this.#section.tag, this.#entries.at, 'bad_value', `below ${this.count}`, variant)
    }
    if (this.#uniform !== VARIOUS) return applyRule(this.#uniform, normalised)
    const bytes = this.#section.bytes
    const block = Math.floor(variant / BLOCK)
    let at = this.#entries.enter(block)
    const end = this.#entries.end(block)
    for (let skip = variant % BLOCK; ; skip--) {
      let head = 0
      let scale = 1
      let byte = 128
      while (byte >= 128 && at < end) {
        byte = bytes[at++]!
        head += (byte & 127) * scale
        scale *= 128
      }
      const form = head % (1 << FORM_BITS)
      const length = Math.floor(head / (1 << FORM_BITS))
      if (form > TEXT || at + length > end) {
        refuse(this.#section.tag, at, 'bad_length', `within ${end - at}`, length)
      }
      if (skip === 0) {
        if (form === TEXT) return bytes.slice(at, at + length)
        if (form === BITS) return applyBits(bytes, at, length, normalised)
        return applyRule(form, normalised)
      }
      at += length
    }
  }
}

function applyRule(form: number, normalised: Uint8Array): Uint8Array {
  const text = normalised.slice()
  if (form === SAME) return text
  const end = form === FIRST ? Math.min(1, text.length) : text.length
  for (let i = 0; i < end; i++) {
    if (!isSmallLetter(normalised[i]!)) continue
    if (form !== WORDS || startsWord(normalised, i)) text[i] = normalised[i]! - 32
  }
  return text
}

function applyBits(
  bytes: Uint8Array,
  at: number,
  length: number,
  normalised: Uint8Array,
): Uint8Array {
  const text = normalised.slice()
  const end = Math.min(text.length, length * 8)
  for (let i = 0; i < end; i++) {
    if ((bytes[at + (i >>> 3)]! & (1 << (i & 7))) !== 0) text[i] = text[i]! - 32
  }
  return text
}
