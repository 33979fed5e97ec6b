// Native packages, each of which the engine can do without. A package is loaded once per thread, at
// its first use; where it cannot be loaded, its adapter uses a way without native code.
//
// Installations without native packages are common: package managers block install scripts, and
// machines have no compiler. `SVC_NATIVES` hides packages that are there: `off` hides all, a list
// of names (`zstd-napi,koffi`) hides all others. The same database can be used with and without.
import { createRequire } from 'node:module'

export const NATIVE_NAMES = ['fs-ext', 'mmap-io', 'zstd-napi', 'koffi'] as const
export type NativeName = (typeof NATIVE_NAMES)[number]

/** Loads one form of a package, for example its binary. */
type Loader = (require: NodeJS.Require) => unknown

/** Folder of the binaries of scripts/build/natives.mjs, from programs and from their chunks. */
const PREBUILT = ['../natives', '../../natives'] as const

/** A loaded package, or the reason why it cannot be used. */
type Attempt = { readonly loaded: unknown } | { readonly reason: string }

const attempts = new Map<NativeName, Attempt>()

/**
 * Returns what the first loader that succeeds returns, or null if the package is hidden or none
 * succeeds. Loads a package once; later calls return the same.
 */
export function loadNative<T>(name: NativeName, loaders: readonly Loader[]): T | null {
  let attempt = attempts.get(name)
  if (attempt === undefined) {
    attempt = isHidden(name, process.env['SVC_NATIVES'])
      ? { reason: 'SVC_NATIVES hides it' }
      : tryAll(loaders)
    attempts.set(name, attempt)
  }
  return 'loaded' in attempt ? (attempt.loaded as T) : null
}

/** Returns why the package cannot be used, or null if it is loaded or was not tried yet. */
export function reasonWithout(name: NativeName): string | null {
  const attempt = attempts.get(name)
  return attempt !== undefined && 'reason' in attempt ? attempt.reason : null
}

/** `setting`: the value of SVC_NATIVES. */
export function isHidden(name: NativeName, setting: string | undefined): boolean {
  if (setting === undefined || setting === '') return false
  return !setting.split(',').some((wanted) => wanted.trim() === name)
}

/**
 * Returns loaders of a binary that the package ships for this system. `hasAbi`: it fits one release
 * of Node.
 */
export function prebuilt(name: NativeName, hasAbi: boolean): readonly Loader[] {
  const { arch, platform, versions } = process
  const file = hasAbi ? `${name}-${versions.modules}` : name
  return PREBUILT.map(
    (folder) => (require: NodeJS.Require) => require(`${folder}/${platform}-${arch}/${file}.node`),
  )
}

function tryAll(loaders: readonly Loader[]): Attempt {
  const require = createRequire(import.meta.url)
  let reason: string | null = null
  for (const load of loaders) {
    try {
      return { loaded: load(require) }
    } catch (error) {
      // Packages report a missing or unfit binary in many ways; none of them is an error here.
      if (!(error instanceof Error)) throw error
      const isMissing = 'code' in error && error.code === 'MODULE_NOT_FOUND'
      if (!isMissing) reason ??= error.message.split('\n', 1)[0]!
    }
  }
  return { reason: reason ?? 'there is no binary for this system and this release of Node' }
}
