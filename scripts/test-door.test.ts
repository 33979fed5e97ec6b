// Imports of the engine's entry files are redirected to modules, and nothing else of a source
// changes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { doorTable, straightened } from './test-door.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const table = doorTable(root)

describe('the table of the entry files', () => {
  it('has the exported names, and each module exists', () => {
    expect(table.get('EngineFault')).toBe('engine/model/index.ts')
    expect(table.get('openEngine')).toBe('engine/open/index.ts')
    expect(table.get('readDatabase')).toBe('engine/store/catalog/index.ts')
    expect(table.get('openDump')).toBe('engine/backup/dumps/index.ts')
    for (const module of new Set(table.values())) expect(existsSync(join(root, module))).toBe(true)
  })
})

describe('a redirected source', () => {
  const lead = (text: string) => straightened(text, 'server/errors/x.ts', table)

  it('imports each name from its module', () => {
    const text = "import { EngineFault, openEngine, type Task } from '../../engine/index.ts'\nx()\n"
    expect(lead(text)).toBe(
      "import { EngineFault } from '../../engine/model/index.ts';" +
        "import { openEngine } from '../../engine/open/index.ts';" +
        `import { type Task } from '../../${table.get('Task')}'\nx()\n`,
    )
  })

  it('keeps types, new names and the number of lines', () => {
    const text = "import type {\n  Task,\n  Batch as B,\n} from '../../engine/index.ts'\nx()\n"
    expect(lead(text)).toBe(
      `import type { Task, Batch as B } from '../../${table.get('Task')}'\n\n\n\nx()\n`,
    )
  })

  it('imports from all entry files, and keeps other imports', () => {
    expect(lead("import { openDump } from '../../engine/backup.ts'\n")).toBe(
      "import { openDump } from '../../engine/backup/dumps/index.ts'\n",
    )
    const other = "import { x } from '../engine/index.ts.js'\nimport y from './y.ts'\n"
    expect(lead(other)).toBe(other)
  })
})
