// Calls functions of the C library. The only importer of koffi, which comes as a binary, without an
// install script.
import { loadNative } from './natives.ts'

type NativeFunction = {
  (...values: readonly number[]): number
  readonly async: (value: number, done: (error: unknown) => void) => void
}

export type Koffi = {
  /** Loads a library; null means the program itself and the libraries that it has loaded. */
  readonly load: (library: string | null) => {
    readonly func: (prototype: string) => NativeFunction
  }
  /** Returns the errno of the last call. */
  readonly errno: () => number
}

/**
 * Returns null if koffi has no binary for this machine. Loads the binary directly if it is found:
 * its wrapper takes three times as long to load.
 */
export function koffi(): Koffi | null {
  const { arch } = process
  return loadNative<Koffi>('koffi', [
    (require) => require(`@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`),
    (require) => require('koffi'),
  ])
}
