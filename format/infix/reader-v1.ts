// Reads the grams of a segment in place: the terms that contain a text · layout: ./INFIX.md
import { u32At } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import { Fst } from '../fst/index.ts'
import { FIELDS_MAX, type FieldId } from '../ids.ts'
import { characterStarts } from './characters.ts'
import { GRAM_BYTES_MAX, GRAM_CHARS, GRAM_TEXT_BYTES_MAX, LIST_BYTES_A_TERM } from './limits.ts'

export const INFIX_SECTION = 'INFX'
const HEADER_BYTES = 16
const NO_TERMS = new Uint32Array(0)

/** The part of a list's bytes, counted from the first list. */
type List = { readonly from: number; readonly to: number }

/** Where the characters of a searched text begin; one text is looked up at a time. */
const starts = new Uint16Array(GRAM_TEXT_BYTES_MAX + 1)

export class InfixReader {
  /** The fields whose terms are covered, ascending. */
  readonly fields: readonly FieldId[]
  readonly #section: Pick<Section, 'length' | 'read'>
  readonly #terms: Fst
  readonly #grams: Fst
  /** u32 for each gram, and one more. */
  readonly #offsets: Uint8Array
  readonly #listsAt: number
  readonly #key: Uint8Array

  /**
   * `terms`: the dictionary of the segment. Checks everything but the lists.
   * @throws CorruptionError
   */
  constructor(section: Pick<Section, 'length' | 'read'>, terms: Fst) {
    this.#section = section
    this.#terms = terms
    this.#key = new Uint8Array(terms.keyBytesMax)
    const header = section.read(0, HEADER_BYTES)
    const fieldCount = u32At(header, 0)
    const gramCount = u32At(header, 4)
    const dictionaryBytes = u32At(header, 8)
    if (u32At(header, 12) !== 0) refuse(INFIX_SECTION, 12, 'bad_value', 0, u32At(header, 12))
    if (fieldCount === 0 || fieldCount > FIELDS_MAX) {
      refuse(INFIX_SECTION, 0, 'bad_value', `1 to ${FIELDS_MAX} fields`, fieldCount)
    }
    const offsetsAt = HEADER_BYTES + fieldCount * 4
    const dictionaryAt = offsetsAt + (gramCount + 1) * 4
    this.#listsAt = dictionaryAt + dictionaryBytes
    if (this.#listsAt > section.length) {
      refuse(INFIX_SECTION, 4, 'bad_length', `at most ${section.length}`, this.#listsAt)
    }
    this.fields = readFields(section.read(HEADER_BYTES, fieldCount * 4))
    this.#offsets = section.read(offsetsAt, (gramCount + 1) * 4)
    checkOffsets(this.#offsets, offsetsAt, section.length - this.#listsAt)
    this.#grams = new Fst(section.read(dictionaryAt, dictionaryBytes))
    const { keyBytesMax, size } = this.#grams
    if (size !== gramCount || size === 0) {
      refuse(INFIX_SECTION, 4, 'bad_value', `${size} grams, at least 1`, gramCount)
    }
    if (keyBytesMax > GRAM_BYTES_MAX) {
      refuse(INFIX_SECTION, dictionaryAt, 'bad_length', GRAM_BYTES_MAX, keyBytesMax)
    }
  }

  /**
   * Returns the ordinals of all covered terms that contain `text`, of at least GRAM_CHARS
   * characters, ascending. Costs the shortest list of its grams, and comparing each term that is
   * left after the next lists, half a microsecond. @throws CorruptionError
   */
  termsWith(text: Uint8Array): Uint32Array {
    if (text.length > Math.min(this.#terms.keyBytesMax, GRAM_TEXT_BYTES_MAX)) return NO_TERMS
    const characters = characterStarts(text, text.length, starts)
    assert(characters >= GRAM_CHARS, 'a text that is looked up has a gram')
    const lists = this.#listsOf(text, characters)
    if (lists === null) return NO_TERMS
    let found = this.#decode(lists[0]!)
    if (characters === GRAM_CHARS) return found
    for (const list of lists.slice(1)) {
      if (list.to - list.from > found.length * LIST_BYTES_A_TERM) break
      found = this.#among(found, list)
    }
    return this.#containing(found, text)
  }

  /** Returns the lists of the grams of a text, the shortest first; null if one has none. */
  #listsOf(text: Uint8Array, characters: number): List[] | null {
    const byFrom = new Map<number, List>()
    for (let i = 0; i + GRAM_CHARS <= characters; i++) {
      const gram = this.#grams.ordinalOf(text, starts[i]!, starts[i + GRAM_CHARS]!)
      if (gram < 0) return null
      const from = u32At(this.#offsets, gram * 4)
      byFrom.set(from, { from, to: u32At(this.#offsets, gram * 4 + 4) })
    }
    return [...byFrom.values()].sort((a, b) => a.to - a.from - (b.to - b.from))
  }

  #decode(list: List): Uint32Array {
    const found = new Uint32Array(list.to - list.from)
    return found.subarray(0, this.#read(list, found, null))
  }

  /** Returns those of ascending ordinals that a list has too. */
  #among(ordinals: Uint32Array, list: List): Uint32Array {
    return ordinals.subarray(0, this.#read(list, ordinals, ordinals))
  }

  /**
   * Writes the ordinals of a list, or those that are also in ascending `among`, to `out`, which may
   * be the same array; returns their number.
   */
  #read({ from, to }: List, out: Uint32Array, among: Uint32Array | null): number {
    const bytes = this.#section.read(this.#listsAt + from, to - from)
    const end = this.#terms.size
    let count = 0
    let least = 0
    let next = 0
    for (let at = 0; at < bytes.length; ) {
      let value = 0
      let scale = 1
      let byte = 128
      while (byte >= 128 && at < bytes.length && scale < 2 ** 35) {
        byte = bytes[at++]!
        value += (byte & 127) * scale
        scale *= 128
      }
      const ordinal = least + value
      if (byte >= 128 || ordinal >= end) {
        refuse(INFIX_SECTION, this.#listsAt + from + at, 'bad_value', `below ${end}`, ordinal)
      }
      least = ordinal + 1
      if (among !== null) {
        while (next < among.length && among[next]! < ordinal) next++
        if (next === among.length) return count
        if (among[next] !== ordinal) continue
      }
      out[count++] = ordinal
    }
    return count
  }

  /** Keeps the terms that contain the text: its grams alone may stand apart in a term. */
  #containing(ordinals: Uint32Array, text: Uint8Array): Uint32Array {
    const key = this.#key
    let count = 0
    for (let i = 0; i < ordinals.length; i++) {
      const length = this.#terms.keyOf(ordinals[i]!, key)
      if (hasText(key, length, text)) ordinals[count++] = ordinals[i]!
    }
    return ordinals.subarray(0, count)
  }
}

function hasText(key: Uint8Array, length: number, text: Uint8Array): boolean {
  const first = text[0]!
  for (let at = 0; at + text.length <= length; at++) {
    if (key[at] !== first) continue
    let i = 1
    while (i < text.length && key[at + i] === text[i]) i++
    if (i === text.length) return true
  }
  return false
}

function readFields(bytes: Uint8Array): FieldId[] {
  const fields: number[] = []
  for (let at = 0; at < bytes.length; at += 4) {
    const field = u32At(bytes, at)
    const least = (fields.at(-1) ?? -1) + 1
    if (field < least || field >= FIELDS_MAX) {
      refuse(INFIX_SECTION, HEADER_BYTES + at, 'bad_value', `a field from ${least} on`, field)
    }
    fields.push(field)
  }
  return fields
}

/** Each list has a byte at least. @throws CorruptionError */
function checkOffsets(offsets: Uint8Array, at: number, listBytes: number): void {
  let before = -1
  for (let i = 0; i < offsets.length; i += 4) {
    const offset = u32At(offsets, i)
    if (offset <= before || (i === 0 && offset !== 0)) {
      refuse(INFIX_SECTION, at + i, 'bad_order', i === 0 ? 0 : `above ${before}`, offset)
    }
    before = offset
  }
  if (before !== listBytes) refuse(INFIX_SECTION, at, 'bad_length', listBytes, before)
}
