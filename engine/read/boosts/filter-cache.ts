// The documents of the filters of boosts, cached by the thread: searches one after another have the
// same ones, and reading and running a filter takes a tenth of a search.
import { MiB } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { keyOfView } from './table-cache.ts'
import { ThreadCache } from './thread-cache.ts'

const BYTES_MAX = 4 * MiB

/** `live`: the documents on which the filter ran. */
type Kept = { readonly live: IdSet; readonly ids: IdSet }

const THREAD_FILTERS = new ThreadCache<Kept>(BYTES_MAX, false)

/** A view with its settings. */
type Filtered = {
  readonly view: { live(): IdSet }
  readonly shards: readonly string[] | null
}

/** Returns the documents that pass a filter, which `find` returns. `key`: all else it depends on. */
export function boostedDocuments(view: Filtered, key: string, find: () => IdSet): IdSet {
  const name = `${keyOfView(view)} ${view.shards?.join() ?? ''} ${key}`
  const live = view.view.live()
  const kept = THREAD_FILTERS.get(name)
  if (kept?.live === live) return kept.ids
  const ids = find()
  THREAD_FILTERS.set(name, { live, ids }, ids.byteLength + name.length * 2)
  return ids
}
