// Which native packages this process uses, and what their absence costs.
import { koffi, type NativeName, reasonWithout } from '../../natives/index.ts'
import { fsExt, lockWay } from './flock.ts'
import { LOADED_BYTES_MAX } from './limits.ts'
import { binding } from './map.ts'
import { nativeCodec } from './zstd.ts'

export type NativeReport = {
  readonly name: NativeName
  readonly purpose: string
  /** Null if the package is used. */
  readonly missing: {
    readonly reason: string
    /** The way that is used instead and its cost; a clause without a full stop. */
    readonly instead: string
  } | null
}

const LOCKS = {
  'fs-ext': '',
  koffi: 'koffi calls the system; no cost',
  open: 'files are locked as they are opened; no cost',
  program: 'the program flock locks the file; a start takes some milliseconds longer',
} as const

/** Tries to load all of them: some milliseconds. */
export function nativeReports(): readonly NativeReport[] {
  const mebibytes = LOADED_BYTES_MAX >>> 20
  const one = (name: NativeName, purpose: string, isLoaded: boolean, instead: () => string) => {
    const missing = isLoaded ? null : { reason: reasonWithout(name) ?? '', instead: instead() }
    return { name, purpose, missing }
  }
  const reports = [
    one('fs-ext', 'lock of the database', fsExt() !== null, () => LOCKS[lockWay()]),
    one(
      'mmap-io',
      'mapped files',
      binding() !== null,
      () =>
        `files are read into memory: up to ${mebibytes} MiB in each thread, ` +
        'and while files are merged, as much as they have',
    ),
    one(
      'zstd-napi',
      'compression of documents',
      nativeCodec() !== null,
      () => 'WebAssembly; compressing and decompressing take about 2.5 times as long',
    ),
  ]
  // Other systems have no allocator to tune.
  if (process.platform !== 'linux') return reports
  const late = 'free memory is returned late: about 100 MB more after much indexing'
  return [...reports, one('koffi', 'memory allocator', koffi() !== null, () => late)]
}
