// The words that searches have looked up in one segment, with the fields that they occur in. They
// refer to no bytes of the segment, which can therefore be unmapped while they are still cached.
import { LruCache } from '../../../format/cache/index.ts'
import type { FieldId, TermOrdinal } from '../../../format/ids.ts'

/** Looked-up words of a segment before all are dropped: about 100 bytes each. */
const ORDINALS_MAX = 32_768
/** Terms and prefixes with cached fields, before all are dropped. */
const FIELDS_MAX = 8192
/**
 * Entries of all segments of a thread: an import leaves hundreds of segments. The segment that has
 * got a word least recently drops its own.
 */
const ENTRIES_MAX = 1 << 18
type Segments = LruCache<FoundWords, FoundWords>
const THREAD_WORDS: Segments = new LruCache(ENTRIES_MAX)
/** Longer lists of fields are not cached: a document may have thousands. */
const FIELDS_EACH_MAX = 64

type Fields = readonly FieldId[]

export class FoundWords {
  readonly #segments: Segments
  readonly #ordinals = new Map<string, number>()
  readonly #fields = new Map<TermOrdinal, Fields>()
  readonly #prefixFields = new Map<string, Fields>()
  #entries = 0

  constructor(segments = THREAD_WORDS) {
    this.#segments = segments
  }

  /** Returns the ordinal of a term, -1 if the segment does not have it. */
  ordinal(text: string): number | undefined {
    return this.#ordinals.get(text)
  }

  fields(ordinal: TermOrdinal): Fields | undefined {
    return this.#fields.get(ordinal)
  }

  prefixFields(prefix: string): Fields | undefined {
    return this.#prefixFields.get(prefix)
  }

  addOrdinal(text: string, ordinal: number): number {
    return this.#add(this.#ordinals, text, ordinal, ORDINALS_MAX)
  }

  addFields(ordinal: TermOrdinal, fields: Fields): Fields {
    if (fields.length > FIELDS_EACH_MAX) return fields
    return this.#add(this.#fields, ordinal, fields, FIELDS_MAX)
  }

  addPrefixFields(prefix: string, fields: Fields): Fields {
    if (fields.length > FIELDS_EACH_MAX) return fields
    return this.#add(this.#prefixFields, prefix, fields, FIELDS_MAX)
  }

  #add<Key, Value>(to: Map<Key, Value>, key: Key, value: Value, max: number): Value {
    if (to.size >= max) this.clear()
    to.set(key, value)
    this.#entries++
    for (const segment of this.#segments.set(this, this, this.#entries)) segment.clear()
    return value
  }

  clear(): void {
    this.#ordinals.clear()
    this.#fields.clear()
    this.#prefixFields.clear()
    this.#entries = 0
    this.#segments.delete(this)
  }
}
