// Reads of an index that this instance has not created yet: other instances answer them until its
// creation has arrived here.
import { EngineFault } from '../../../engine/index.ts'
import type { ApiError } from '../../errors/index.ts'
import { remoteCodeOf } from '../calls/index.ts'
import type { SearchPlan } from './search-plan.ts'

/** Returns true if another instance refused a search because it lacks the index. */
export const lacksIndex = (error: ApiError): boolean =>
  error.code === 'remote_bad_request' && remoteCodeOf(error) === 'index_not_found'

/** Returns the fault of a missing index in a sharded network. @throws every other error */
export function absentIndex(error: unknown, { isSharded }: SearchPlan): EngineFault {
  if (isSharded && isIndexNotFound(error)) return error
  throw error
}

export const isIndexNotFound = (error: unknown): error is EngineFault =>
  error instanceof EngineFault && error.code === 'index_not_found'
