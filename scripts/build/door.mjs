// Redirects imports of the engine's index file directly to the modules that define the names.
// Sources import only `engine/index.ts`. A bundler that splits code would load all modules of that
// file wherever one name is used, and so would a test. The file is a list of re-exports, which this
// module reads into a table.
import { readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'

const DOOR = 'engine/index.ts'
const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm
const IMPORT = /^import (type )?\{([^}]*)\} from '((?:\.\.\/)+engine\/index\.ts)'/gm

const namesIn = (list) =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns a map: exported name → its module, relative to the root of the repository. */
export function doorTable(root) {
  const table = new Map()
  for (const [, list, target] of readFileSync(join(root, DOOR), 'utf8').matchAll(RE_EXPORT)) {
    const module = posix.join(posix.dirname(DOOR), target)
    for (const name of namesIn(list)) table.set(name.replace(/^type /, ''), module)
  }
  return table
}

/**
 * Returns the source with imports of the index file replaced by imports of the modules; line
 * numbers stay the same. Declarations of the index file itself are still imported from it.
 */
export function straightened(text, file, table) {
  return text.replaceAll(IMPORT, (statement, isType = '', list, door) => {
    const byModule = new Map()
    for (const name of namesIn(list)) {
      const module = table.get(name.replace(/^type /, '').replace(/ as .*/, ''))
      const target = module === undefined ? door : posix.relative(posix.dirname(file), module)
      byModule.set(target, [...(byModule.get(target) ?? []), name])
    }
    const statements = [...byModule].map(
      ([target, names]) => `import ${isType}{ ${names.join(', ')} } from '${target}'`,
    )
    return statements.join(';') + '\n'.repeat(statement.split('\n').length - 1)
  })
}

const pathFromRoot = (root, path) => relative(root, path).split(sep).join('/')

/** For tests: the same for the layers above the engine. */
export function doorOfTests(root) {
  const table = doorTable(root)
  return {
    name: 'door',
    enforce: 'pre',
    transform(text, id) {
      const file = pathFromRoot(root, id)
      return /^(?:server|tools)\/.*\.ts$/.test(file)
        ? { code: straightened(text, file, table), map: null }
        : null
    },
  }
}

/** For esbuild: sources above the engine, in the given `layers`. */
export function doorPlugin(root, layers) {
  return {
    name: 'door',
    setup({ onLoad }) {
      const table = doorTable(root)
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = pathFromRoot(root, path)
        if (!layers.includes(file.split('/')[0])) return null
        const contents = straightened(readFileSync(path, 'utf8'), file, table)
        return { contents, loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
}
