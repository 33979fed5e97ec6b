// Computes checksums of the documents of each shard of each index, which two instances can compare,
// and how many documents a change of the shards would move. Search threads count, chunk by chunk;
// results are cached until the index changes.
import { type Hash, xxh3 } from '../../../format/bytes/index.ts'
import type { IndexNo, IndexUid } from '../../../format/ids.ts'
import { retryWhileBusy, type Searching } from '../../read/pool/index.ts'
import { addHash, type DigestAnswer } from '../../read/search/index.ts'
import { cachedSettings } from '../../settings/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import type { ViewRef, Views } from '../../store/views/index.ts'
import type { TopologyPort } from './topology-port.ts'

/** Documents per chunk, between which a search thread serves searches. */
const DOCUMENTS_AT_ONCE = 4096

/** Documents of one shard (null: no shard), and the shard that a change would move them to. */
export type ShardDigest = {
  readonly shard: string | null
  readonly next: string | null
  readonly documents: number
  /** Bytes of the stored documents before compression. */
  readonly bytes: number
  /** A hash of 64 bits in hexadecimal digits. */
  readonly digest: string
}

export type IndexDigest = {
  readonly uid: IndexUid
  /** Digest of the settings and the primary key. */
  readonly settings: string
  /** One digest per shard with documents, in byte order of the shards' names. */
  readonly shards: readonly ShardDigest[]
}

type Parts = {
  readonly manifest: Manifest
  readonly views: () => Views
  readonly searching: Searching
  /** Its shards are those in which documents are, also after a canceled change. */
  readonly topology: Pick<TopologyPort, 'serving'>
}

type CachedDigest = { readonly key: string; readonly shards: readonly ShardDigest[] }

export class Digests {
  readonly #parts: Parts
  readonly #cached = new Map<IndexNo, CachedDigest>()
  /** Computations that run: exporters of one change request the same digests at the same time. */
  readonly #running = new Map<string, Promise<readonly ShardDigest[]>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Returns the digests of all indexes, in order of their uids. `next`: names of the shards that a
   * change would create, in byte order, or null without a change. Without documents only the
   * settings are read, and lists of shards are empty.
   * @throws StorageError, CorruptionError, Canceled
   */
  async all(
    next: readonly string[] | null,
    signal: AbortSignal,
    hasDocuments = true,
  ): Promise<readonly IndexDigest[]> {
    const { manifest, topology } = this.#parts
    const names = [...topology.serving.shards.keys()]
    const indexes = [...manifest.state.indexes].sort(([, a], [, b]) => (a.uid < b.uid ? -1 : 1))
    const digests: IndexDigest[] = []
    for (const [index, { uid, settings, primaryKey }] of indexes) {
      const shards = hasDocuments ? await this.#of(index, names, next, signal) : []
      if (shards === null) continue
      const described = stableJson({ primaryKey, settings: cachedSettings(settings) })
      digests.push({ uid, settings: hashOf(described), shards })
    }
    for (const index of this.#cached.keys()) {
      if (!manifest.state.indexes.has(index)) this.#cached.delete(index)
    }
    return digests
  }

  /** Returns null if the index was deleted. */
  async #of(
    index: IndexNo,
    names: readonly string[],
    next: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly ShardDigest[] | null> {
    using lease = this.#parts.views().lease(index)
    if (lease === null) return null
    const { ref } = lease
    const key = JSON.stringify([ref.sequence, names, next])
    const cached = this.#cached.get(index)
    if (cached?.key === key) return cached.shards
    const place = `${index} ${key}`
    const running = this.#running.get(place)
    // A failure is that of the other caller, which may have been aborted.
    const shared = running === undefined ? null : await running.catch(failedThere)
    if (shared !== null) return shared
    const computed = this.#computed(ref, names, next, signal)
    this.#running.set(place, computed)
    try {
      const shards = await computed
      this.#cached.set(index, { key, shards })
      return shards
    } finally {
      if (this.#running.get(place) === computed) this.#running.delete(place)
    }
  }

  async #computed(
    ref: ViewRef,
    names: readonly string[],
    next: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly ShardDigest[]> {
    const { searching } = this.#parts
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
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => shown(group))
  }
}

const failedThere = (): null => null

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

/** Returns JSON whose members are in the order of their names. */
const stableJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
