// Here is a failure: which code, status and words?
export {
  ApiError,
  ERROR_DOCS_BASE,
  errorBody,
  isErrorCode,
} from './api-error.ts'
export { CATALOGUE, type ErrorCode } from './catalogue.ts'

export { toApiError, wireToApiError } from './translate.ts'
