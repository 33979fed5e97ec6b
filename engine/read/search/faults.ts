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

/** Runs something whose faults get words before and after their message. */
export function placing<T>(before: string, after: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw placed(error, before, after)
  }
}

/** What stands before the faults of the search at position `at`. */
export const ofQuery = (at: number): string => `Inside \`.queries[${at}]\`: `

/** A fault with words before and after its message; other failures as they are. */
function placed(error: unknown, before: string, after: string): unknown {
  if (!(error instanceof EngineFault) || OF_THE_WHOLE.includes(error.code)) return error
  return new EngineFault(error.code, before + error.message + after)
}

/** Faults that have nothing to do with one search. */
const OF_THE_WHOLE: readonly string[] = ['too_many_search_requests', 'internal']
