// Test support: redirects imports of the engine's entry files to the modules that define the names.
// Sources above the engine import only these files. A test of one part would load all modules of
// the engine. Bundles need none of this: the bundler leaves out the modules that a program does not
// use.
import { readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import type { Plugin } from 'vitest/config'
import { DOORS } from './tidy/structure.table.ts'

const FILES = DOORS.engine!.files
const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm
const IMPORT =
  /^import (type )?\{([^}]*)\} from '(?:\.\.\/)+engine\/(?:index|inspect|backup)\.ts'/gm

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns a map: exported name → its module, relative to the root. @throws Error, name doubled */
export function doorTable(root: string): Map<string, string> {
  const table = new Map<string, string>()
  for (const file of FILES) {
    for (const [, list, target] of readFileSync(join(root, file), 'utf8').matchAll(RE_EXPORT)) {
      const module = posix.join(posix.dirname(file), target!)
      for (const given of namesIn(list!)) {
        const name = given.replace(/^type /, '')
        if (table.has(name)) throw new Error(`two entry files export ${name}`)
        table.set(name, module)
      }
    }
  }
  return table
}

/**
 * Returns the source with imports of the entry files replaced by imports of the modules; line
 * numbers stay the same.
 */
export function straightened(
  text: string,
  file: string,
  table: ReadonlyMap<string, string>,
): string {
  return text.replaceAll(IMPORT, (statement, isType = '', list) => {
    const byModule = new Map<string, string[]>()
    for (const name of namesIn(list)) {
      const module = table.get(name.replace(/^type /, '').replace(/ as .*/, ''))!
      const target = posix.relative(posix.dirname(file), module)
      byModule.set(target, [...(byModule.get(target) ?? []), name])
    }
    const statements = [...byModule].map(
      ([target, names]) => `import ${isType}{ ${names.join(', ')} } from '${target}'`,
    )
    return statements.join(';') + '\n'.repeat(statement.split('\n').length - 1)
  })
}

/** For Vitest, whose root is `root`. */
export function testDoor(root: string): Plugin {
  const table = doorTable(root)
  return {
    name: 'test-door',
    enforce: 'pre',
    transform(text, id) {
      const file = relative(root, id).split(sep).join('/')
      return /^(?:server|tools)\/.*\.ts$/.test(file)
        ? { code: straightened(text, file, table), map: null }
        : null
    },
  }
}
