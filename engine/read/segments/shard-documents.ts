// Which documents of an index belong to each shard of the network. It follows from their external
// ids, so it is computed segment by segment; a segment never changes, and its sets are cached as
// long as it is open and the shards have the same names.
import type { DocumentsReader } from '../../../format/documents/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Rendezvous } from '../../model/index.ts'
import { documentsLayer } from '../../store/layers/index.ts'
import { uniteLive } from './live-sets.ts'
import type { OpenView } from './open-view.ts'

type Sets = { readonly names: string; readonly sets: readonly IdSet[] }

const cached = new WeakMap<DocumentsReader, Sets>()

/** Sets of a view that are kept: an instance is asked for few combinations of shards. */
const UNIONS_KEPT = 16
/** By names of all shards, and of those that are united. */
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

  /** The live documents of a shard; null: no shard has that name. */
  documents(shard: string): IdSet | null {
    const at = this.#names.indexOf(shard)
    if (at < 0) return null
    return uniteLive(
      this.#view.layer(documentsLayer).map(({ reader, dead }) => ({
        set: this.#setsOf(reader)[at]!,
        dead,
      })),
    )
  }

  /** The live documents of all these shards; the same set for as long as the view is there. */
  union(shards: readonly string[]): IdSet {
    const key = JSON.stringify([this.#names, shards])
    let kept = unions.get(this.#view)
    if (kept === undefined) {
      kept = new Map()
      unions.set(this.#view, kept)
    }
    const known = kept.get(key)
    if (known !== undefined) return known
    let found = IdSet.empty
    for (const shard of shards) found = found.or(this.documents(shard) ?? IdSet.empty)
    if (kept.size === UNIONS_KEPT) kept.clear()
    kept.set(key, found)
    return found
  }

  #setsOf(reader: DocumentsReader): readonly IdSet[] {
    const names = JSON.stringify(this.#names)
    const known = cached.get(reader)
    if (known?.names === names) return known.sets
    const rendezvous = new Rendezvous(this.#names)
    const ids: number[][] = this.#names.map(() => [])
    let looked = 0
    for (const id of reader.idSet().toArray()) {
      if (++looked % CHECK_EVERY === 0) this.#checkpoint()
      ids[rendezvous.winner(reader.externalId(id)!)]!.push(id)
    }
    const sets = ids.map((one) => IdSet.ofSorted(Uint32Array.from(one)))
    cached.set(reader, { names, sets })
    return sets
  }
}

/** Documents between two looks at the clock: 1 ms. */
const CHECK_EVERY = 4096
