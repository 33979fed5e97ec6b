// The documents of an index that belong to each shard of the network. Membership depends only on
// external ids, so it is computed for each segment; a segment never changes, and its sets are
// cached while it is open and the names of the shards stay the same.
import type { DocumentsReader } from '../../../format/documents/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Rendezvous } from '../../network/records/index.ts'
import { documentsLayer } from '../../store/layers/index.ts'
import { uniteLive } from '../segment-text/index.ts'
import type { OpenView } from './open-view.ts'

type Sets = { readonly names: string; readonly sets: readonly IdSet[] }

const cached = new WeakMap<DocumentsReader, Sets>()

/** Cached unions of a view: an instance serves few combinations of shards. */
const UNIONS_MAX = 16
/** By the names of all shards and of the united ones. */
const unions = new WeakMap<OpenView, Map<string, IdSet>>()

export class ShardDocuments {
  readonly #view: OpenView
  readonly #names: readonly string[]
  readonly #checkpoint: () => void

  /** `names`: all shards of the network, in byte order. `checkpoint` throws when time is up. */
  constructor(view: OpenView, names: readonly string[], checkpoint: () => void) {
    this.#view = view
    this.#names = names
    this.#checkpoint = checkpoint
  }

  has(shard: string): boolean {
    return this.#names.includes(shard)
  }

  #liveOf(shard: string): IdSet {
    const at = this.#names.indexOf(shard)
    if (at < 0) return IdSet.empty
    return uniteLive(
      this.#view.layer(documentsLayer).map(({ reader, dead }) => ({
        set: this.#setsOf(reader)[at]!,
        dead,
      })),
    )
  }

  /**
   * Returns the live documents of these shards, none for an unknown one. It is the same object each
   * time while the view lives, so that caches by set are hit.
   */
  union(shards: readonly string[]): IdSet {
    const key = JSON.stringify([this.#names, shards])
    let byShards = unions.get(this.#view)
    if (byShards === undefined) {
      byShards = new Map()
      unions.set(this.#view, byShards)
    }
    const cached = byShards.get(key)
    if (cached !== undefined) return cached
    let found = IdSet.empty
    for (const shard of shards) found = found.or(this.#liveOf(shard))
    if (byShards.size === UNIONS_MAX) byShards.clear()
    byShards.set(key, found)
    return found
  }

  #setsOf(reader: DocumentsReader): readonly IdSet[] {
    const names = JSON.stringify(this.#names)
    const setsOfReader = cached.get(reader)
    if (setsOfReader?.names === names) return setsOfReader.sets
    const rendezvous = new Rendezvous(this.#names)
    const ids: DocId[][] = this.#names.map(() => [])
    let checked = 0
    for (const id of reader.idSet().toArray()) {
      if (++checked % CHECK_EVERY === 0) this.#checkpoint()
      ids[rendezvous.winner(reader.externalId(id)!)]!.push(id)
    }
    const sets = ids.map((one) => IdSet.ofSorted(Uint32Array.from(one)))
    cached.set(reader, { names, sets })
    return sets
  }
}

/** Documents between two checks of the clock: 1 ms. */
const CHECK_EVERY = 4096
