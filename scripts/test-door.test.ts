// Imports of the engine's index file are redirected to modules, and nothing else of a source
// changes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { doorTable, straightened } from './test-door.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const table = doorTable(root)

describe('the table of the index file', () => {
  it('has the exported names, and each module exists', () => {
    expect(table.get('EngineFault')).toBe('engine/model/index.ts')
    expect(table.get('openEngine')).toBe('engine/engine.ts')
    for (const module of new Set(table.values())) expect(existsSync(join(root, module))).toBe(true)
  })

  it('does not list declarations of the index file itself', () => {
    expect(table.has('loadImports')).toBe(false)
  })
})

describe('a redirected source', () => {
  const lead = (text: string) => straightened(text, 'server/errors/x.ts', table)

  it('imports each name from its module', () => {
    const text = "import { EngineFault, openEngine, type Task } from '../../engine/index.ts'\nx()\n"
    expect(lead(text)).toBe(
      "import { EngineFault } from '../../engine/model/index.ts';" +
        "import { openEngine } from '../../engine/engine.ts';" +
        `import { type Task } from '../../${table.get('Task')}'\nx()\n`,
    )
  })

  it('keeps types, new names and the number of lines', () => {
    const text = "import type {\n  Task,\n  Batch as B,\n} from '../../engine/index.ts'\nx()\n"
    expect(lead(text)).toBe(
      `import type { Task, Batch as B } from '../../${table.get('Task')}'\n\n\n\nx()\n`,
    )
  })

  it('keeps imports of declarations of the index file, and other imports', () => {
    const own = "import { loadImports } from '../../engine/index.ts'\n"
    const other = "import { x } from '../engine/index.ts.js'\nimport y from './y.ts'\n"
    expect(lead(own + other)).toBe(own + other)
  })
})
