// An index is made on one instance before it is on another: until then a search for it is answered
// by others.
import { EngineFault } from '../../engine/index.ts'
import type { ApiError } from '../errors/index.ts'
import type { SearchPlan } from './search-plan.ts'

/** Whether another instance has refused a search because it has no such index. */
export const lacksIndex = ({ code, message }: ApiError): boolean =>
  code === 'remote_bad_request' && message.includes('"code":"index_not_found"')

/** Why this instance has no part where its index is not there. @throws any other fault */
export function absentIndex(error: unknown, { isSharded }: SearchPlan): EngineFault {
  if (isSharded && isIndexNotFound(error)) return error
  throw error
}

export const isIndexNotFound = (error: unknown): error is EngineFault =>
  error instanceof EngineFault && error.code === 'index_not_found'
