// The segment and the folder that a command names, and records of tasks as lines.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageError } from '../../engine/index.ts'
import { FUZZY_QUERY_BYTES_MAX } from '../../format/fst/index.ts'
import { type MadeDatabase, makeDatabase } from '../test-support.ts'
import { fstGrep } from './fst-terms.ts'
import { logPrint, logPrintText } from './log-print.ts'
import { manifestState } from './manifest-state.ts'
import { besideServer, openDatabaseFolder } from './open-database.ts'
import { openSegment } from './segment-source.ts'

let made: MadeDatabase
let folder: string
beforeAll(async () => {
  made = await makeDatabase()
  folder = mkdtempSync(join(tmpdir(), 'svc-sources-'))
})
afterAll(() => {
  made.remove()
  rmSync(folder, { recursive: true })
})

describe('a segment', () => {
  const segments = (index: string, layer: string | null) =>
    manifestState(made.path)
      .indexes.find(({ uid }) => uid === index)!
      .segments.filter((one) => layer === null || one.layer === layer)
  const open = (index: string, layer: string | null) =>
    openSegment({ db: made.path, index, layer }).state?.segment

  it('is the only one of an index in a layer; else the choice is shown', () => {
    let count = 0
    for (const layer of [null, 'documents', 'text', 'columns', 'vectors']) {
      for (const index of ['films', 'books']) {
        const all = segments(index, layer)
        const what = layer === null ? 'segments' : `${layer} segments`
        if (all.length === 1) expect(open(index, layer)).toBe(all[0]!.segment)
        else if (all.length === 0) {
          expect(() => open(index, layer)).toThrow(`the index \`${index}\` has no ${what}`)
        } else {
          const names = all.map((one) => `${one.segment} (${one.layer})`)
          expect(() => open(index, layer)).toThrow(`has several ${what}: `)
          for (const name of names) expect(() => open(index, layer)).toThrow(name)
          count++
        }
      }
    }
    expect(count).toBeGreaterThan(0)
    expect(() => open('none', null)).toThrow('there is no index `none` in the database')
  })

  it('near a word is searched for words up to the longest one', () => {
    const file = join(made.path, 'segments/000002.text')
    const grep = (bytes: number) => fstGrep({ file }, `~${'x'.repeat(bytes)}`, { limit: 0 })
    expect(grep(FUZZY_QUERY_BYTES_MAX).shown).toEqual([])
    expect(() => grep(FUZZY_QUERY_BYTES_MAX + 1)).toThrow('a word of 1 to')
  })
})

describe('a folder', () => {
  it('holds a database, or is refused with the reason', () => {
    expect(openDatabaseFolder(made.path).exists('VERSION')).toBe(true)
    const file = join(folder, 'file')
    writeFileSync(file, '')
    mkdirSync(join(folder, 'empty'))
    mkdirSync(join(folder, 'remains/segments'), { recursive: true })
    expect(() => openDatabaseFolder(join(folder, 'none'))).toThrow('there is no folder')
    expect(() => openDatabaseFolder(file)).toThrow('is a file')
    expect(() => openDatabaseFolder(join(folder, 'empty'))).toThrow('holds no database')
    expect(() => openDatabaseFolder(join(folder, 'remains'))).not.toThrow()
  })

  it('beside a running server is read again when a file has gone, some times', () => {
    const failing = (times: number, code: 'missing' | 'io') => {
      let calls = 0
      const work = (): number => {
        if (++calls <= times) throw new StorageError(code, 'x', 'gone')
        return calls
      }
      try {
        return besideServer(work)
      } catch {
        return `failed after ${calls}`
      }
    }
    expect([failing(0, 'missing'), failing(4, 'missing')]).toEqual([1, 5])
    expect([failing(5, 'missing'), failing(1, 'io')]).toEqual(['failed after 5', 'failed after 1'])
  })
})

it('the manifest shows its checkpoint, and the bytes of its values', () => {
  const log = logPrintText(logPrint(join(made.path, 'manifest-000001.log')))
  expect(log).toMatch(/#0 {2}checkpoint 0/)
  expect(log).toMatch(/#\d+ {2}edit 1\n/)
  for (const { keys, bytes } of manifestState(made.path).values) {
    if (keys === 0) expect(bytes).toBe(0)
  }
})
