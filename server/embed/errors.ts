// Errors of the embedded engine, with codes, types and messages of the HTTP API.
import { type StorageError as EngineStorageError, StorageError } from '../../engine/index.ts'
import { ApiError, toApiError } from '../errors/index.ts'
import type { SvcSearchError as Shape } from './types.ts'

export class SvcSearchError extends Error implements Shape {
  override readonly name = 'SvcSearchError'
  readonly type: Shape['type']
  readonly link: string | null

  constructor(
    readonly code: string,
    message: string,
    options: {
      readonly type?: Shape['type']
      readonly link?: string | null
      readonly cause?: unknown
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.type = options.type ?? 'invalid_request'
    this.link = options.link ?? null
  }
}

/** Converts any failure to the public error class. */
export function toPublic(failure: unknown): SvcSearchError {
  if (failure instanceof SvcSearchError) return failure
  if (failure instanceof StorageError && failure.code === 'locked') return locked(failure)
  const error = toApiError(failure)
  const { message, code, type, link } = error.toBody()
  const cause = failure instanceof ApiError ? failure.cause : failure
  return new SvcSearchError(code, message, { type, link, cause })
}

/** `failure`: why a database could not be opened for writing. */
export const notWritable = (failure: EngineStorageError): SvcSearchError => {
  const advice = 'let this user write to the folder, or pass `readOnly: true` to search only'
  const message = `${failure.message}: ${advice}`
  return new SvcSearchError('database_not_writable', message, { type: 'system', cause: failure })
}

const locked = (failure: EngineStorageError): SvcSearchError =>
  new SvcSearchError('database_locked', failure.message, { type: 'system', cause: failure })
