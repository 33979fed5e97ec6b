// Errors as plain data, for other threads and for logs.
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { EngineFault, type FaultCode, type StorageCode, StorageError } from './errors.ts'
import { withScarcity } from './system-error.ts'

/** An error as plain data, for other threads and for logs: a clone does not keep the class. */
export type WireError = {
  readonly family: 'fault' | 'storage' | 'ours'
  readonly code: string
  readonly message: string
  readonly path: string
  /** Position of the answer that a fault is about, see `EngineFault`. */
  readonly answer?: number
}

/** Encodes an error for another thread or for a log. */
export function toWire(failure: unknown): WireError {
  const error = withScarcity(failure)
  if (error instanceof EngineFault) {
    const { code, message, answer } = error
    const wire = { family: 'fault', code, message, path: '' } as const
    return answer === null ? wire : { ...wire, answer }
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
export function fromWire({ family, code, message, path, answer }: WireError): Error {
  switch (family) {
    case 'fault':
      return new EngineFault(code as FaultCode, message, answer)
    case 'storage':
      return new StorageError(code as StorageCode, path, message)
    case 'ours':
      return new Error(message)
  }
}
