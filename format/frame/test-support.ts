// A small frame and the outcome of reading it, for tests.
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from './index.ts'
import { encodeFrame } from './writer-v1.ts'

export const KIND = 'TEST'
export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

export const small = (): Uint8Array =>
  encodeFrame(KIND, (writer) => {
    writer.section('ABCD', 1, ascii('hello'))
    writer.section('NONE', 7, new Uint8Array(0))
    writer.section('LAST', 2, ascii('0123456789'))
  })

/** Returns `ok`, or the code of the refusal. */
export function outcome(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    // A reader may throw these two errors; any other fails the test.
    if (error instanceof CorruptionError) return error.code
    if (error instanceof VersionError) return 'version'
    throw error
  }
  return 'ok'
}

export const openAll = (bytes: Uint8Array, kind = KIND): string =>
  outcome(() => Frame.open(bytes, kind).verifyAll())
