// Here is a failure: which code, status and words?
export {
  ApiError,
  ERROR_DOCS_BASE,
  type ErrorBody,
  errorBody,
  isErrorCode,
} from './api-error.ts'
export { CATALOGUE, type ErrorCode } from './catalogue.ts'
export type { ErrorType } from './entry.ts'
export { toApiError, wireToApiError } from './translate.ts'
