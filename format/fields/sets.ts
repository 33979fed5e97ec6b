// The document sets of a field: documents that have it, in which it is null, empty or a blank
// string, and that have numbers or strings in it. Decoded on first use and cached · layout:
// ./FIELDS.md, "Block"
import { refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import { FIELD_SETS, SET_ALL, SET_ALL_BUT, SET_EXISTS, SET_LISTED, SET_NONE } from './field-v1.ts'
import { type IdBounds, ListReader } from './lists-v1.ts'
import { Members } from './members.ts'
import type { PartReader } from './parts.ts'
import { placeList } from './postings-v1.ts'

export type FieldSetName = (typeof FIELD_SETS)[number]

export class FieldSets {
  readonly #kinds: readonly number[]
  readonly #listed: ListReader
  /** By set: its index in the list, or -1. */
  readonly #places: readonly number[]
  readonly #docs: Members
  readonly #section: Section
  readonly #decoded: (Members | null)[] = FIELD_SETS.map(() => null)

  /**
   * Reads the kinds from the head. `docs` are the documents of the segment.
   * @throws CorruptionError
   */
  constructor(section: Section, docs: Members, bounds: IdBounds, reader: PartReader) {
    const kinds: number[] = []
    const places: number[] = []
    let count = 0
    for (let i = 0; i < FIELD_SETS.length; i++) {
      const kind = reader.head.varint()
      reader.expect(kind <= SET_ALL_BUT && (kind !== SET_EXISTS || i > 0), 'a kind of set', kind)
      kinds.push(kind)
      places.push(kind >= SET_LISTED ? count++ : -1)
    }
    this.#kinds = kinds
    this.#places = places
    this.#listed = new ListReader(section, placeList(count, reader), bounds)
    this.#docs = docs
    this.#section = section
  }

  get(name: FieldSetName): IdSet {
    return this.members(name).set
  }

  /** Returns the set with ranks, for rows. */
  members(name: FieldSetName): Members {
    const index = FIELD_SETS.indexOf(name)
    const cached = this.#decoded[index]
    if (cached != null) return cached
    const members = this.#decode(index)
    this.#decoded[index] = members
    return members
  }

  #decode(index: number): Members {
    const kind = this.#kinds[index]!
    if (kind === SET_NONE) return EMPTY_MEMBERS
    if (kind === SET_ALL) return this.#docs
    if (kind === SET_EXISTS) return this.members('exists')
    const listed = this.#listed.get(this.#places[index]!)
    const docs = this.#docs.set
    if (listed.andSize(docs) !== listed.size) {
      refuse(
        this.#section.tag,
        this.#section.offset,
        'bad_value',
        'documents of the segment',
        'others',
      )
    }
    return new Members(kind === SET_LISTED ? listed : docs.andNot(listed))
  }
}

const EMPTY_MEMBERS = new Members(IdSet.empty)
