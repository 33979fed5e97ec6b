// Here is a failure: which code, status and words?
export {
  ApiError,
  ERROR_DOCS_BASE,
  type ErrorBody,
  type ErrorCode,
  errorBody,
  isErrorCode,
} from './api-error.ts'
export { CATALOGUE } from './catalogue.table.ts'
export type { ErrorType } from './entry.ts'
export { toApiError, wireToApiError } from './translate.ts'
