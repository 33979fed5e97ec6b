// Digests of documents, grouped by shard. A digest is a sum of hashes, so it does not depend on the
// order of the documents, on their segments or on field ids. It is computed in chunks so that a
// thread is not occupied for long.
import { type Hash, xxh3 } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import { lowerBound } from '../../../format/idset/index.ts'
import { shownVectors, type VectorEntry } from '../../../format/vectors/index.ts'
import { Rendezvous } from '../../network/records/index.ts'
import { embedderSpecs } from '../../settings/embedders/index.ts'
import { entriesOf } from '../answers/index.ts'
import type { DigestChunk, SearchableView, SearchControl } from '../jobs/index.ts'

/** Documents between two checks for cancellation. */
const STRIDE = 256
const END = 0xff

/**
 * Positions in `names` and in `next` (-1 for none), documents, bytes, both halves of the sum of
 * hashes.
 */
export type DigestGroup = readonly [
  shard: number,
  next: number,
  documents: number,
  bytes: number,
  high: number,
  low: number,
]

/** `last`: pass it as `after` for the next chunk; null if all documents are done. */
export type DigestAnswer = { readonly groups: readonly DigestGroup[]; readonly last: number | null }

type Group = {
  readonly shard: number
  readonly next: number
  documents: number
  bytes: number
  high: number
  low: number
}

/** Returns a `DigestAnswer` as JSON. @throws StorageError, CorruptionError, Canceled */
export function runDigest(
  searchable: SearchableView,
  { names, next, after, documentsMax }: DigestChunk,
  control: SearchControl,
): Uint8Array {
  const { view, ref, settings } = searchable
  const hasVectors = embedderSpecs(settings.embedders).length > 0
  const ids = view.live().toArray()
  const begin = lowerBound(ids, after + 1)
  const end = Math.min(ids.length, begin + documentsMax)
  const shards = new Rendezvous(names)
  const others = next === null ? null : new Rendezvous(next)
  const hasher = new DocumentHasher(ref.fields)
  const groups = new Map<number, Group>()
  for (let i = begin; i < end; i++) {
    if (i % STRIDE === STRIDE - 1) control.isLate()
    const id = ids[i]!
    const externalId = view.externalId(id)
    const record = view.record(id)
    if (externalId === null || record === null) continue
    const shard = shards.winner(externalId)
    const other = others === null ? -1 : others.winner(externalId)
    const key = (shard + 1) * 0x10000 + other + 1
    const group = groups.get(key) ?? newGroup(shard, other)
    groups.set(key, group)
    group.documents++
    group.bytes += record.length
    const entries = hasVectors ? entriesOf(searchable, id) : []
    addHash(group, hasher.hash(externalId, record, entries))
  }
  const answer: DigestAnswer = {
    groups: [...groups.values()].map((group) => [
      group.shard,
      group.next,
      group.documents,
      group.bytes,
      group.high,
      group.low,
    ]),
    last: end < ids.length ? ids[end - 1]! : null,
  }
  return Buffer.from(JSON.stringify(answer))
}

const newGroup = (shard: number, next: number): Group => ({
  shard,
  next,
  documents: 0,
  bytes: 0,
  high: 0,
  low: 0,
})

/** Adds modulo 2^64. */
export function addHash(sum: { high: number; low: number }, hash: Readonly<Hash>): void {
  const low = sum.low + hash.low
  sum.low = low >>> 0
  sum.high = (sum.high + hash.high + (low > 0xffffffff ? 1 : 0)) >>> 0
}

/**
 * Hashes documents: a sum over their fields by name, then together with their id. Of vectors that a
 * document brought the values count, as clients see them; of computed ones only how many there are:
 * each instance asks the model itself, and models may answer with other digits.
 */
class DocumentHasher {
  readonly #names: readonly Uint8Array[]
  readonly #fields = new RecordFields()
  readonly #hash: Hash = { high: 0, low: 0 }
  readonly #sum = { high: 0, low: 0 }
  #buffer = new Uint8Array(4096)
  #view = new DataView(this.#buffer.buffer)

  constructor(fields: readonly string[]) {
    this.#names = fields.map((name) => Buffer.from(name))
  }

  /** Returns the same object each time. */
  hash(externalId: Uint8Array, record: Uint8Array, entries: readonly VectorEntry[]): Hash {
    const fields = this.#fields
    const sum = this.#sum
    sum.high = 0
    sum.low = 0
    fields.read(record)
    for (let i = 0; i < fields.count; i++) {
      this.#of(this.#names[fields.ids[i]!]!, fields.value(i))
      addHash(sum, this.#hash)
    }
    for (const entry of entries) {
      this.#of(Buffer.from(`_vectors ${entry.embedder}`), vectorBytes(entry))
      addHash(sum, this.#hash)
    }
    const tail = this.#tail
    const view = new DataView(tail.buffer)
    view.setUint32(0, sum.high)
    view.setUint32(4, sum.low)
    this.#of(externalId, tail)
    return this.#hash
  }

  readonly #tail = new Uint8Array(8)

  #of(name: Uint8Array, value: Uint8Array): void {
    const length = name.length + 1 + value.length
    if (length > this.#buffer.length) {
      this.#buffer = new Uint8Array(length * 2)
      this.#view = new DataView(this.#buffer.buffer)
    }
    this.#buffer.set(name)
    this.#buffer[name.length] = END
    this.#buffer.set(value, name.length + 1)
    xxh3(this.#view, length, this.#hash)
  }
}

function vectorBytes(entry: VectorEntry): Uint8Array {
  const head = Buffer.from(`${entry.regenerates} ${entry.rows} `)
  if (entry.regenerates || !entry.isOwn) return head
  const rows = shownVectors(entry).map(({ buffer, byteOffset, byteLength }) => {
    return new Uint8Array(buffer, byteOffset, byteLength)
  })
  return Buffer.concat([head, ...rows])
}
