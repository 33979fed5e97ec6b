// The declarations of the package's library: the texts of server/embed/types.ts and
// search-types.ts, which declare only types, and a line for each value of server/embed/index.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Bundlers of programs change calls of `createRequire` that they recognise. */
const CREATE_REQUIRE = "process.getBuiltinModule('node:module').createRequire"

/**
 * Bundles of CommonJS have no `import.meta.url`. The bundled CommonJS packages call `require`.
 */
export const embedBanner =
  "import { pathToFileURL as svcPathToFileURL } from 'node:url';" +
  'const svcHere = import.meta.url ?? svcPathToFileURL(__filename).href;' +
  `const require = ${CREATE_REQUIRE}(svcHere);`

const requireAtRun = {
  name: 'require-at-run',
  setup({ onLoad, onResolve }) {
    const namespace = 'require-at-run'
    onResolve({ filter: /^(?:node:)?module$/ }, ({ path }) => ({ path, namespace }))
    onLoad({ filter: /.*/, namespace }, () => ({
      contents: `export const createRequire = ${CREATE_REQUIRE}`,
    }))
  },
}

/** For tests and tools: an embedded engine has threads, and never runs without them. */
const withThreads = {
  name: 'with-threads',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]without-threads\.ts$/ }, () => ({ contents: 'export {}' }))
  },
}

/** For a library that bundlers of programs bundle again. */
export const bundledAgain = [requireAtRun, withThreads]

const IMPORTS = /^import type \{[^}]*\} from '.*'\n/gm
const VALUE = /^export const (\w+): (\w+) =/gm

export function writeDeclarations(root, dist) {
  const files = ['types.ts', 'search-types.ts']
  const types = files
    .map((name) => readFileSync(join(root, 'server/embed', name), 'utf8').replace(IMPORTS, ''))
    .join('\n')
  const values = readFileSync(join(root, 'server/embed/index.ts'), 'utf8').matchAll(VALUE)
  const lines = [...values].map(([, name, type]) => `export declare const ${name}: ${type}`)
  const text = `${types}\n${lines.join('\n')}\n`
  for (const name of ['index.d.ts', 'index.d.cts']) writeFileSync(join(dist, 'embed', name), text)
}

/** Node loads modules by `require`, and warns unless a package does it. */
export const writeCommonJs = (dist) =>
  writeFileSync(
    join(dist, 'embed/index.cjs'),
    "'use strict'\nmodule.exports = require('./index.js')\n",
  )
