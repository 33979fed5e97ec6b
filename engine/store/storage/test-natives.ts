// Support for tests: this folder's modules as they are loaded with some of the native packages.
import { afterAll, beforeAll, vi } from 'vitest'

type Loaded = {
  readonly storage: typeof import('./index.ts')
  readonly flock: typeof import('./flock.ts')
}

/** Loads them for the tests of a file. `natives`: the value of SVC_NATIVES. */
export function withNatives(natives: 'koffi' | 'off'): Loaded {
  const loaded = {} as { -readonly [name in keyof Loaded]: Loaded[name] }
  beforeAll(async () => {
    vi.resetModules()
    vi.stubEnv('SVC_NATIVES', natives)
    loaded.storage = await import('./index.ts')
    loaded.flock = await import('./flock.ts')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    vi.resetModules()
  })
  return loaded
}
