// Faults of one search among several; their message names the search.
import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'

export const indexNotFound = (uid: IndexUid): EngineFault =>
  new EngineFault('index_not_found', `Index \`${uid}\` not found.`)

/** The fault of a search that has held its thread for `ms` while others waited for one. */
export const othersWait = (ms: number): EngineFault =>
  new EngineFault(
    'too_many_search_requests',
    `The search was stopped after ${ms} ms because searches of others waited for its thread. ` +
      'Retry after 10s, or ask for less: fewer conditions in the filter, fewer facets.',
  )

/**
 * Runs `work` and adds text before and after the message of its faults. Faults whose code is in
 * `unplaced` stay unchanged.
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

/** The prefix of the message when the search at position `at` fails. */
export const ofQuery = (at: number): string => `Inside \`.queries[${at}]\`: `

/** Adds text before and after the message of a fault; returns other errors unchanged. */
function placed(
  error: unknown,
  before: string,
  after: string,
  unplaced: readonly string[],
): unknown {
  if (!(error instanceof EngineFault) || unplaced.includes(error.code)) return error
  return new EngineFault(error.code, before + error.message + after, error.detail)
}

/** Codes of faults that concern the whole request rather than one search. */
const OF_THE_WHOLE: readonly string[] = ['too_many_search_requests', 'internal']

/**
 * In a federated search, a fault inside a `_foreign` condition (it has this code) does not name a
 * search.
 */
export const UNPLACED_IN_FEDERATION: readonly string[] = [
  ...OF_THE_WHOLE,
  'invalid_document_filter',
]
