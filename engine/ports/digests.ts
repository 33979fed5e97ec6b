// What an instance has of each shard of each index, as sums that two instances can compare, and
// what a change of the shards would move. Search threads count, chunk by chunk; what has not
// changed is not counted again.
import { type Hash, xxh3 } from '../../format/bytes/index.ts'
import type { IndexNo } from '../../format/ids.ts'
import type { NetworkDescription } from '../network/index.ts'
import { addHash, type DigestAnswer, retryWhileBusy, type Searching } from '../read/search/index.ts'
import { decodeSettings } from '../settings/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import type { Views } from '../store/views/index.ts'

/** Documents of a chunk: 20 ms of a search thread. */
const DOCUMENTS_AT_ONCE = 4096

/** Documents of one shard, and the shard that a change would give them to; null: no shard. */
export type ShardDigest = {
  readonly shard: string | null
  readonly next: string | null
  readonly documents: number
  /** As they are stored, before packing. */
  readonly bytes: number
  /** 64 bits in hexadecimal. */
  readonly digest: string
}

export type IndexDigest = {
  readonly uid: string
  /** Of settings and primary key. */
  readonly settings: string
  /** By shard in byte order; shards without documents are not there. */
  readonly shards: readonly ShardDigest[]
}

type Parts = {
  readonly manifest: Manifest
  readonly views: () => Views
  readonly searching: Searching
  readonly network: NetworkDescription
}

type Known = { readonly key: string; readonly shards: readonly ShardDigest[] }

export class Digests {
  readonly #parts: Parts
  readonly #known = new Map<IndexNo, Known>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Of all indexes, by uid. `next`: names of the shards that a change would make, in byte order;
   * null: there is no change. @throws StorageError, CorruptionError, Canceled
   */
  async all(next: readonly string[] | null, signal: AbortSignal): Promise<readonly IndexDigest[]> {
    const { manifest, network } = this.#parts
    const names = [...network.get().shards.keys()]
    const indexes = [...manifest.state.indexes].sort(([, a], [, b]) => (a.uid < b.uid ? -1 : 1))
    const digests: IndexDigest[] = []
    for (const [index, { uid, settings, primaryKey }] of indexes) {
      const shards = await this.#of(index, names, next, signal)
      if (shards === null) continue
      const described = stableJson({ primaryKey, settings: decodeSettings(settings) })
      digests.push({ uid, settings: hashOf(described), shards })
    }
    for (const index of this.#known.keys()) {
      if (!manifest.state.indexes.has(index)) this.#known.delete(index)
    }
    return digests
  }

  /** null: the index is gone. */
  async #of(
    index: IndexNo,
    names: readonly string[],
    next: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly ShardDigest[] | null> {
    const { views, searching } = this.#parts
    using lease = views().lease(index)
    if (lease === null) return null
    const { ref } = lease
    const key = JSON.stringify([ref.sequence, names, next])
    const known = this.#known.get(index)
    if (known?.key === key) return known.shards
    const view = { ref, release: () => undefined }
    const groups = new Map<string, Group>()
    for (let after: number | null = -1; after !== null; ) {
      const chunk = { names, next, after, documentsMax: DOCUMENTS_AT_ONCE }
      const job = { kind: 'digest', chunk } as const
      const bytes = await retryWhileBusy(() => searching.run(view, job, signal))
      const answer = JSON.parse(Buffer.from(bytes).toString()) as DigestAnswer
      for (const [shard, other, documents, size, high, low] of answer.groups) {
        const group = groupOf(groups, names[shard] ?? null, next?.[other] ?? null)
        group.documents += documents
        group.bytes += size
        addHash(group.sum, { high, low })
      }
      after = answer.last
    }
    const shards = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => shown(group))
    this.#known.set(index, { key, shards })
    return shards
  }
}

type Group = {
  readonly shard: string | null
  readonly next: string | null
  documents: number
  bytes: number
  readonly sum: Hash
}

function groupOf(groups: Map<string, Group>, shard: string | null, next: string | null): Group {
  const key = JSON.stringify([shard, next])
  const known = groups.get(key)
  if (known !== undefined) return known
  const group = { shard, next, documents: 0, bytes: 0, sum: { high: 0, low: 0 } }
  groups.set(key, group)
  return group
}

const shown = ({ shard, next, documents, bytes, sum }: Group): ShardDigest => ({
  shard,
  next,
  documents,
  bytes,
  digest: hexOf(sum),
})

const hexOf = ({ high, low }: Hash): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')

function hashOf(text: string): string {
  const bytes = Buffer.from(text)
  const hash: Hash = { high: 0, low: 0 }
  xxh3(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, hash)
  return hexOf(hash)
}

/** Members in the order of their names. */
const stableJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
