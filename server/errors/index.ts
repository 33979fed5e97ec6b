// Error codes, their statuses, and the translation of failures into error answers.
export { ApiError, errorBody, isErrorCode } from './api-error.ts'
export { CATALOGUE, type ErrorCode } from './catalogue.ts'

export { toApiError } from './translate.ts'
