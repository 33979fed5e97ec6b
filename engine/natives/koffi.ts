// Calls functions of the C library. The only importer of koffi, which comes as a binary.
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
 * Returns null if koffi has no binary for this machine. Only the packages with its binaries are
 * used: its main package has an install script, and looks for them first.
 */
export function koffi(): Koffi | null {
  const { arch, platform } = process
  const folder = `@koromix/koffi-${platform}-${arch}`
  return loadNative<Koffi>('koffi', [
    (require) => require(`${folder}/${platform}_${arch}/koffi.node`),
    (require) => require(`${folder}/musl_${arch}/koffi.node`),
  ])
}
