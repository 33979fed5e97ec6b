// Arguments of the program that opened the engine. They may be anything: values of wrong types,
// iterables and getters that throw. What they throw becomes the cause of a refusal.
import { SvcSearchError } from './errors.ts'
import type { CallOptions } from './types.ts'

/** Evaluates arguments. @throws SvcSearchError */
export function readArguments<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SvcSearchError) throw error
    throw invalid(`the arguments cannot be read: ${messageOf(error)}`, error)
  }
}

/** Returns the message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return typeof thrown === 'string' ? thrown : `a value of the type ${typeof thrown} was thrown`
}

/** Returns the parts of a path, which have to be texts. @throws SvcSearchError */
export function pathOf(...parts: readonly unknown[]): readonly string[] {
  for (const part of parts) {
    if (typeof part !== 'string') throw invalid('the uid of an index has to be a string')
  }
  return parts as readonly string[]
}

/** @throws SvcSearchError */
export function signalOf({ signal }: CallOptions): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal
  throw invalid('`signal` has to be an AbortSignal')
}

/** Lists are joined by commas; undefined members are left out. @throws SvcSearchError */
export const queryOf = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')

export const invalid = (message: string, cause?: unknown): SvcSearchError =>
  new SvcSearchError('invalid_options', message, cause === undefined ? {} : { cause })
