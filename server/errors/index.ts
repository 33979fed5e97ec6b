// Error codes, their statuses, and the translation of failures into error answers.
export {
  ApiError,
  ERROR_DOCS_BASE,
  errorBody,
  isErrorCode,
} from './api-error.ts'
export { CATALOGUE, type ErrorCode } from './catalogue.ts'

export { toApiError, wireToApiError } from './translate.ts'
