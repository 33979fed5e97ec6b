// The declarations of the package's library: the text of server/embed/types.ts, which declares only
// types, and a line for each value of server/embed/index.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** For tests and tools: an embedded engine has threads, and never loads it. */
export const EMBED_EXTERNAL = ['./without-threads.ts', '../without-threads.ts']

const VALUE = /^export const (\w+): (\w+) =/gm

export function writeDeclarations(root, dist) {
  const types = readFileSync(join(root, 'server/embed/types.ts'), 'utf8')
  const values = readFileSync(join(root, 'server/embed/index.ts'), 'utf8').matchAll(VALUE)
  const lines = [...values].map(([, name, type]) => `export declare const ${name}: ${type}`)
  writeFileSync(join(dist, 'embed/index.d.ts'), `${types}\n${lines.join('\n')}\n`)
}
