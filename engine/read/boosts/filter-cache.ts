// The documents of the filters of boosts, cached by the thread: searches one after another have the
// same ones, and reading and running a filter takes a tenth of a search.
import { MiB } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { numberOf } from './table-cache.ts'
import { ThreadCache } from './thread-cache.ts'

const BYTES_MAX = 4 * MiB

const THREAD_FILTERS = new ThreadCache<IdSet>(BYTES_MAX, false)

/** A view with its settings. */
type Filtered = {
  readonly view: { live(): IdSet }
  readonly shards: readonly string[] | null
}

/** Returns the documents that pass a filter, which `find` returns. `key`: all else it depends on. */
export function boostedDocuments(view: Filtered, key: string, find: () => IdSet): IdSet {
  // The set of live documents is named, not held: it is not counted, and may be all of an old view.
  const live = numberOf(view.view.live())
  const name = `${numberOf(view)} ${live} ${JSON.stringify(view.shards)} ${key}`
  const kept = THREAD_FILTERS.get(name)
  if (kept !== undefined) return kept
  const ids = find()
  THREAD_FILTERS.set(name, ids, ids.byteLength + name.length * 2)
  return ids
}
