// Faults of one search among several, as clients are told them: with the place of the search.
import { EngineFault } from '../../model/index.ts'

export const indexNotFound = (uid: string): EngineFault =>
  new EngineFault('index_not_found', `Index \`${uid}\` not found.`)

/** A search that has held its thread for `ms` while others waited for one. */
export const othersWait = (ms: number): EngineFault =>
  new EngineFault(
    'too_many_search_requests',
    `The search was stopped after ${ms} ms because searches of others waited for its thread. ` +
      'Retry after 10s, or ask for less: fewer conditions in the filter, fewer facets.',
  )

/**
 * Runs something whose faults get words before and after their message; those with a code of
 * `unplaced` stay as they are.
 */
export function placing<T>(
  before: string,
  after: string,
  work: () => T,
  unplaced: readonly string[] = OF_THE_WHOLE,
): T {
  try {
    return work()
  } catch (error) {
    throw placed(error, before, after, unplaced)
  }
}

/** What stands before the faults of the search at position `at`. */
export const ofQuery = (at: number): string => `Inside \`.queries[${at}]\`: `

/** A fault with words before and after its message; other failures as they are. */
function placed(
  error: unknown,
  before: string,
  after: string,
  unplaced: readonly string[],
): unknown {
  if (!(error instanceof EngineFault) || unplaced.includes(error.code)) return error
  return new EngineFault(error.code, before + error.message + after)
}

/** Faults that have nothing to do with one search. */
const OF_THE_WHOLE: readonly string[] = ['too_many_search_requests', 'internal']

/** In a federated search a fault inside a `_foreign` condition, whose code it is, has no place. */
export const UNPLACED_IN_FEDERATION: readonly string[] = [
  ...OF_THE_WHOLE,
  'invalid_document_filter',
]
