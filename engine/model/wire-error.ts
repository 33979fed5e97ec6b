// Errors as plain data, for other threads and for logs.
import { CorruptionError, VersionError } from '../../format/errors.ts'
import {
  EngineFault,
  type FaultCode,
  type FaultDetail,
  type StorageCode,
  StorageError,
} from './errors.ts'
import { withScarcity } from './system-error.ts'

/** An error as plain data, for other threads and for logs: a clone does not keep the class. */
export type WireError = {
  readonly family: 'fault' | 'storage' | 'ours'
  readonly code: string
  readonly message: string
  readonly path: string
  /** Absent if a fault has none. */
  readonly detail?: FaultDetail
}

/** Encodes an error for another thread or for a log. */
export function toWire(failure: unknown): WireError {
  const error = withScarcity(failure)
  if (error instanceof EngineFault) {
    const { code, message, detail } = error
    const wire = { family: 'fault', code, message, path: '' } as const
    return detail === null ? wire : { ...wire, detail }
  }
  if (error instanceof StorageError) {
    return { family: 'storage', code: error.code, message: error.message, path: error.path }
  }
  if (error instanceof CorruptionError || error instanceof VersionError) {
    const code = error instanceof CorruptionError ? 'corrupt' : 'version'
    return { family: 'storage', code, message: `A file is damaged: ${error.message}`, path: '' }
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { family: 'ours', code: 'internal', message: text, path: '' }
}

/** Decodes an error into its original class. */
export function fromWire({ family, code, message, path, detail }: WireError): Error {
  switch (family) {
    case 'fault':
      return new EngineFault(code as FaultCode, message, detail)
    case 'storage':
      return new StorageError(code as StorageCode, path, message)
    case 'ours':
      return new Error(message)
  }
}
