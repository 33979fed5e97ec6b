// Test support: tests of a whole run import the files that `test-compile.mjs` has compiled. Test
// files themselves are loaded by Vitest, also what those import that replace modules.
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'vitest/config'

/** The variable with the folder of compiled files; without it, Vitest compiles by itself. */
export const COMPILED = 'SVC_TEST_COMPILED'

/** Returns the compiled file of a source in `root`, or null. */
export function compiledFile(folder: string, root: string, source: string): string | null {
  const file = join(folder, relative(root, source).replace(/\.tsx?$/, '.js'))
  return existsSync(file) ? file : null
}

/** For Vitest, whose root is `root`. */
export function compiledSources(folder: string, root: string) {
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId: (source: string, importer: string | undefined) =>
      source.startsWith('.') && /\.tsx?$/.test(source) && importer !== undefined
        ? compiledFile(folder, root, resolve(dirname(importer), source))
        : null,
  } as const satisfies Plugin
}
