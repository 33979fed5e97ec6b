// A failure as a client sees it: a code of the catalogue and a message.
import { abridged } from '../../engine/index.ts'
import { CATALOGUE, type ErrorCode } from './catalogue.ts'
import type { ErrorType } from './entry.ts'

/** Page that explains the codes; the code follows as an anchor. */
export const ERROR_DOCS_BASE = 'https://github.com/svc-search/svc-search/blob/main/docs/errors.md#'

/** The body of an error answer; its members are sent in this order. */
export type ErrorBody = {
  readonly message: string
  readonly code: string
  readonly type: ErrorType
  readonly link: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly type: ErrorType
  readonly status: number

  /** `status` defaults to that of the code. */
  constructor(
    readonly code: ErrorCode,
    message: string,
    status: number = CATALOGUE[code].status,
    options?: { readonly cause?: unknown },
  ) {
    super(abridged(message), options)
    this.type = CATALOGUE[code].type
    this.status = status
  }

  toBody(): ErrorBody {
    return errorBody(this.code, this.message)
  }
}

/** Builds an error body from a code that this version may not have, as stored tasks can contain. */
export function errorBody(code: string, message: string): ErrorBody {
  const type = isErrorCode(code) ? CATALOGUE[code].type : 'internal'
  return { message, code, type, link: ERROR_DOCS_BASE + code }
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(CATALOGUE, code)
