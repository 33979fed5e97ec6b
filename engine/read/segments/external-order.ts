// Orders documents by their external ids: whole numbers by value, then texts by bytes. Unlike the
// order of document ids it is the same on every instance, so it breaks ties between hits of a
// network.
import { NINE, ZERO } from '../../../format/bytes/index.ts'
import type { DocumentsReader } from '../../../format/documents/index.ts'
import type { DocId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { documentsLayer } from '../../store/layers/index.ts'
import type { OpenView } from './open-view.ts'

/** From this many documents on, keys are read from a table, which is built once for a segment. */
const TABLE_MIN = 256
/** Maximum ratio of the range of ids to the number of documents: sparser segments get no table. */
const SPAN_MAX = 8

/** A whole number with this many digits is exact in a double. */
const DIGITS_MAX = 15
/** Bytes of a text that its key contains. */
const PREFIX_BYTES = 6

/** Keys of numbers are below zero, in numeric order; keys of texts are not. */
function keyOf(id: Uint8Array): number {
  const value = wholeNumber(id)
  if (value !== null) return value - Number.MAX_SAFE_INTEGER
  let key = 0
  for (let i = 0; i < PREFIX_BYTES; i++) key = key * 256 + (id[i] ?? 0)
  return key
}

/** Returns null if the id is not a number as JSON writes it, or has too many digits. */
function wholeNumber(id: Uint8Array): number | null {
  if (id.length === 0 || id.length > DIGITS_MAX || (id[0] === ZERO && id.length > 1)) return null
  let value = 0
  for (let i = 0; i < id.length; i++) {
    const digit = id[i]!
    if (digit < ZERO || digit > NINE) return null
    value = value * 10 + digit - ZERO
  }
  return value
}

/** Negative if `a` comes first; zero only for equal ids. */
export const compareExternalIds = (a: Uint8Array, b: Uint8Array): number =>
  keyOf(a) - keyOf(b) || Buffer.compare(a, b)

const WHOLE_NUMBER = new RegExp(`^(?:0|[1-9]\\d{0,${DIGITS_MAX - 1}})$`)

/** The same order for ids as texts; those that are numbers are compared without their bytes. */
export const compareExternalTexts = (a: string, b: string): number =>
  WHOLE_NUMBER.test(a) && WHOLE_NUMBER.test(b)
    ? Number(a) - Number(b)
    : compareExternalIds(Buffer.from(a), Buffer.from(b))

type Table = { readonly from: number; readonly keys: Float64Array }

const tables = new WeakMap<DocumentsReader, Table | null>()

/** Returns null if the ids of the segment's documents are too sparse. */
function tableOf(reader: DocumentsReader): Table | null {
  const cached = tables.get(reader)
  if (cached !== undefined) return cached
  const ids = reader.idSet()
  const span = ids.isEmpty ? 0 : ids.max - ids.min + 1
  let table: Table | null = null
  if (span <= SPAN_MAX * ids.size) {
    const keys = new Float64Array(span)
    for (const id of ids.toArray()) keys[id - ids.min] = keyOf(reader.externalId(id)!)
    table = { from: ids.min, keys }
  }
  tables.set(reader, table)
  return table
}

export class ExternalOrder {
  readonly #view: OpenView

  constructor(view: OpenView) {
    this.#view = view
  }

  /** Returns the first live documents of a set in this order, at most `count`. */
  first(documents: IdSet, count: number): Uint32Array {
    if (documents.size <= 1 || count === 0) return documents.first(count)
    const best = new Best(count, (id) => this.#view.externalId(id)!)
    if (documents.size < TABLE_MIN) {
      for (const id of documents.toArray()) best.add(id, keyOf(this.#view.externalId(id)!))
      return best.ids()
    }
    for (const { reader, dead } of this.#view.layer(documentsLayer)) {
      const own = documents.and(reader.idSet()).andNot(dead)
      if (own.isEmpty) continue
      const table = tableOf(reader)
      for (const id of own.toArray()) {
        const key = table === null ? keyOf(reader.externalId(id)!) : table.keys[id - table.from]!
        best.add(id, key)
      }
    }
    return best.ids()
  }
}

/**
 * Collects the first `count` of the added documents. Others are dropped each time twice as many are
 * held.
 */
class Best {
  readonly #count: number
  readonly #externalId: (id: DocId) => Uint8Array
  #held: { readonly id: DocId; readonly key: number }[] = []
  /** Documents with a larger key are not among the first. */
  #last = Number.POSITIVE_INFINITY

  constructor(count: number, externalId: (id: DocId) => Uint8Array) {
    this.#count = count
    this.#externalId = externalId
  }

  add(id: DocId, key: number): void {
    if (key > this.#last) return
    this.#held.push({ id, key })
    if (this.#held.length < HELD_MIN + 2 * this.#count) return
    this.#sort()
  }

  ids(): Uint32Array {
    this.#sort()
    return Uint32Array.from(this.#held, ({ id }) => id)
  }

  #sort(): void {
    this.#held.sort(
      (a, b) => a.key - b.key || Buffer.compare(this.#externalId(a.id), this.#externalId(b.id)),
    )
    if (this.#held.length < this.#count) return
    this.#held.length = this.#count
    this.#last = this.#held[this.#count - 1]!.key
  }
}

/** Documents held beside those needed, so that small numbers are not sorted often. */
const HELD_MIN = 64
