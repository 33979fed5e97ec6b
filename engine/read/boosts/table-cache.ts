// Tables of factors, kept by the thread: searches one after another have the same boosts, and a factor
// takes longer to compute than a search may spend on a document.
import { MiB } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { OpenView } from '../segments/index.ts'
import { FactorTable, tableBytes } from './factor-table.ts'
import { ThreadCache } from './thread-cache.ts'

/** Bytes of the tables of a thread; a larger one is made for each search. */
const BYTES_MAX = 16 * MiB

/** A boost by its text, with the documents of its filter. */
type Boosting = { readonly key: string } | { readonly key: string; readonly ids: IdSet }
type Kept = { readonly filters: readonly IdSet[]; readonly table: FactorTable }

const THREAD_TABLES = new ThreadCache<Kept>(BYTES_MAX, false)

/** Returns the table of the boosts. `now` in decays makes another one each second. */
export function factorTable(
  view: Pick<OpenView, 'stored'>,
  boosts: readonly Boosting[],
): FactorTable {
  const key = `${numberOf(view)} ${boosts.map((boost) => boost.key).join(' ')}`
  const filters = boosts.flatMap((boost) => ('ids' in boost ? [boost.ids] : []))
  const kept = THREAD_TABLES.get(key)
  if (kept?.filters.every((ids, i) => ids === filters[i] || ids.equals(filters[i]!)) === true) {
    return kept.table
  }
  const table = new FactorTable()
  const bytes = filters.reduce(
    (sum, ids) => sum + ids.byteLength,
    tableBytes(view.stored().max + 1) + key.length * 2,
  )
  THREAD_TABLES.set(key, { filters, table }, bytes)
  return table
}

let count = 0
const numbers = new WeakMap<object, number>()

/** Returns a number that no other object of the thread has: keys with it do not hold the object. */
export function numberOf(object: object): number {
  let number = numbers.get(object)
  if (number === undefined) numbers.set(object, (number = count++))
  return number
}
