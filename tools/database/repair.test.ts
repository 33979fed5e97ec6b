// Damage of every kind, repaired or reported: afterwards the database is sound, and all readable
// data is present.

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import {
  addDocuments,
  documentsOf,
  openTestEngine,
  searchFor,
} from '../../engine/testing/test-engine.ts'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { film, type MadeDatabase, makeDatabase } from '../test-support.ts'
import { repairDatabase, repairText } from './index.ts'
import type { RepairResult } from './repair.ts'

const LARGE = 3000
const SILENT = { at: () => undefined, end: () => undefined }
const folder = mkdtempSync(join(tmpdir(), 'svc-repair-'))
let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase(LARGE)
}, 120_000)
afterAll(() => {
  made.remove()
  rmSync(folder, { recursive: true })
})

let copies = 0
function copied(): string {
  const path = join(folder, `${++copies}`, 'data.ms')
  cpSync(dirname(made.path), dirname(path), { recursive: true })
  return path
}

const repair = (path: string, isMeant = true): Promise<RepairResult> =>
  repairDatabase(path, {
    release: '1.50.0',
    isMeant,
    openProgress: () => SILENT,
    openCount: () => SILENT,
  })

function damage(path: string, at: (length: number) => number): void {
  const bytes = readFileSync(path)
  bytes[at(bytes.length)]! ^= 0x10
  writeFileSync(path, bytes)
}

const fileOf = (path: string, extension: string): string =>
  readdirSync(join(path, 'segments'))
    .filter((name) => name.endsWith(extension))
    .map((name) => join(path, 'segments', name))[0]!

async function answers(path: string) {
  const fs = new RealFileSystem(path)
  const engine = await openTestEngine(fs, { path, batchTasksMax: 0 })
  const documents = await documentsOf(engine, 'films')
  const { hits } = await searchFor(engine, 'films', { q: 'starlng', filter: 'year > 1990' })
  const { fieldDistribution } = engine.documents.indexStats(asIndexUid('films'))
  await engine.close()
  // Sorted, because on a busy machine a search that reaches its time limit ranks differently.
  const found = hits.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)
  return { documents, found, fieldDistribution }
}

describe('a database that is sound', () => {
  it('is unchanged', async () => {
    const path = copied()
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: false, steps: [], left: [], lost: [], kept: null })
    expect(repairText(result)).toContain('is sound')
  })
})

describe('damaged words or values', () => {
  it.each(['.text', '.cols'])('of %s are rebuilt from the documents', async (extension) => {
    const path = copied()
    const before = await answers(path)
    damage(fileOf(path, extension), (length) => Math.floor(length / 2))
    const plan = await repair(path, false)
    expect(plan.isDone).toBe(false)
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['rebuild'])
    expect(repairText(plan)).toContain('--yes')
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: true, left: [], lost: [] })
    expect(existsSync(result.kept!)).toBe(true)
    expect(await answers(path)).toEqual(before)
  })

  it('that are missing are rebuilt as well', async () => {
    const path = copied()
    const before = await answers(path)
    rmSync(fileOf(path, '.text'))
    expect(await repair(path)).toMatchObject({ isDone: true, left: [], lost: [] })
    expect(await answers(path)).toEqual(before)
  })
})

describe('damaged documents', () => {
  it('are reported as lost, and all others stay', async () => {
    const path = copied()
    const before = await answers(path)
    damage(fileOf(path, '.docs'), (length) => Math.floor(length / 3))
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: true, left: [] })
    const lost = new Set(result.lost.flatMap(({ ids }) => ids))
    expect(lost.size).toBe(result.lost[0]!.documents)
    expect(lost.size).toBeGreaterThan(0)
    expect(lost.size).toBeLessThan(LARGE / 2)
    const after = await answers(path)
    const stays = before.documents.filter((one) => !lost.has(String((one as { id: number }).id)))
    expect(after.documents).toEqual(stays)
    expect(after.fieldDistribution['id']).toBe(stays.length)
    expect(repairText(result)).toContain(`Lost: ${lost.size} documents of films`)
  })

  it('that cannot be read at all are counted', async () => {
    const path = copied()
    const file = fileOf(path, '.docs')
    damage(file, (length) => length - 3)
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: true, left: [] })
    expect(result.lost[0]!.documents).toBeGreaterThan(LARGE - 10)
    const kept = readdirSync(result.kept!)
    expect(kept).toContain('repair.json')
    expect(kept.some((name) => name.endsWith('.docs'))).toBe(true)
    expect((await answers(path)).documents).toContainEqual(film(LARGE + 1))
  })
})

describe('a damaged task log', () => {
  it('is replaced; waiting tasks are reported, and documents stay', async () => {
    const path = copied()
    const before = await answers(path)
    const [log] = readdirSync(join(path, 'tasks')).filter((name) => name.endsWith('.log'))
    damage(join(path, 'tasks', log!), (length) => Math.floor(length / 3))
    await expect(answers(path)).rejects.toThrow()
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: true, left: [], lost: [] })
    expect(result.steps.map(({ kind }) => kind)).toContain('tasks')
    expect(result.lostTasks).toMatchObject({ nextTask: 9 })
    expect(result.lostTasks!.waiting).toEqual(expect.arrayContaining([7, 8]))
    expect(repairText(result)).toContain('The next task is 9.')
    expect(readdirSync(result.kept!)).toContain(log)
    expect(await answers(path)).toEqual(before)
    const fs = new RealFileSystem(path)
    const engine = await openTestEngine(fs, { path })
    const task = await addDocuments(engine, 'films', [{ id: 1, title: 'after' }])
    expect(task.uid).toBe(9)
    await engine.idle()
    expect((await engine.tasks.get(asTaskUid(9), null))!.status).toBe('succeeded')
    await engine.close()
  })

  it('that is missing is replaced as well', async () => {
    const path = copied()
    const before = await answers(path)
    for (const name of readdirSync(join(path, 'tasks'))) {
      if (name.endsWith('.log')) rmSync(join(path, 'tasks', name))
    }
    expect(await repair(path)).toMatchObject({ isDone: true, left: [], lost: [] })
    expect(await answers(path)).toEqual(before)
  })
})

describe('small files', () => {
  it('with wrong content are rewritten, unknown files are moved away', async () => {
    const path = copied()
    const before = await answers(path)
    rmSync(join(path, 'VERSION'))
    writeFileSync(join(path, 'segments/000999.docs'), 'x')
    writeFileSync(join(path, 'mine.txt'), 'x')
    const log = join(
      path,
      'tasks',
      readdirSync(join(path, 'tasks')).find((n) => n.endsWith('.log'))!,
    )
    writeFileSync(log, readFileSync(log).subarray(0, -24))
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: true, left: [], lost: [] })
    expect(result.steps.map(({ kind }) => kind)).toEqual(['version', 'closed', 'aside'])
    expect(existsSync(join(path, 'segments/000999.docs'))).toBe(false)
    expect(existsSync(join(path, 'mine.txt'))).toBe(true)
    expect(await answers(path)).toEqual(before)
  })

  it('that everything depends on are not guessed', async () => {
    const path = copied()
    writeFileSync(join(path, 'CURRENT'), 'nonsense\n')
    const result = await repair(path)
    expect(result).toMatchObject({ isDone: false, steps: [] })
    expect(result.left.length).toBeGreaterThan(0)
    expect(repairText(result)).toContain('Restore a snapshot')
  })
})

describe('a database of another release', () => {
  it('is repaired by the tools of that release', async () => {
    const path = copied()
    writeFileSync(join(path, 'VERSION'), '1.49.0')
    damage(fileOf(path, '.text'), (length) => Math.floor(length / 2))
    await expect(repair(path)).rejects.toThrow('the tools of its release')
  })
})
