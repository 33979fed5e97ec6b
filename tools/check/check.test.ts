// The check of a whole database: a sound one passes unchanged; damage of every kind is reported
// with its file and position, and never ends the check.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDatabase } from '../../engine/store/catalog/index.ts'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { addDocuments, openTestEngine } from '../../engine/testing/test-engine.ts'
import { Frame } from '../../format/frame/index.ts'
import { encodeFrame } from '../../format/frame/writer-v1.ts'
import { asBatchUid, asIndexNo, asSegmentNo } from '../../format/ids.ts'
import { IdSet } from '../../format/idset/index.ts'
import { readLog } from '../../format/log/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import { findingText } from '../inspect/index.ts'
import { ToolError } from '../terminal/index.ts'
import { commitEdit, type MadeDatabase, makeDatabase } from '../test-support.ts'
import { type CheckResult, checkDatabase, checkText, findingsOf } from './index.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
})
afterAll(() => made.remove())

const OPTIONS = {
  lock: true,
  release: '1.50.0',
  openProgress: () => ({ at: () => undefined, end: () => undefined }),
}
const check = (path: string): CheckResult => checkDatabase(path, OPTIONS)

/** Returns the paths of all files, relative to the database. */
function filesOf(path: string): string[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(path, name)).isFile()).sort()
}

const contentOf = (path: string): [string, string, number][] =>
  filesOf(path).map((name) => {
    const file = join(path, name)
    return [name, readFileSync(file, 'latin1'), statSync(file).mtimeMs]
  })

/** Runs `work` on a copy of the database. */
async function withCopy(work: (path: string) => void | Promise<void>): Promise<void> {
  const path = `${made.path}-copy`
  rmSync(path, { recursive: true, force: true })
  cpSync(made.path, path, { recursive: true })
  try {
    await work(path)
  } finally {
    rmSync(path, { recursive: true })
  }
}

/** Returns all findings, one line each. */
const linesOf = (result: CheckResult): string[] => findingsOf(result).map(findingText)

function change(path: string, name: string, edit: (bytes: Buffer) => Uint8Array): void {
  const file = join(path, name)
  writeFileSync(file, edit(readFileSync(file)))
}

const flip =
  (at: number, bit = 0) =>
  (bytes: Buffer): Buffer => {
    bytes[at]! ^= 1 << bit
    return bytes
  }

describe('a sound database', () => {
  it('passes unchanged', () => {
    const before = contentOf(made.path)
    const result = check(made.path)
    expect(linesOf(result)).toEqual([])
    expect(result).toMatchObject({ isSound: true, problemCount: 0, version: '1.50.0', notes: [] })
    expect(result.leftovers).toEqual([])
    expect(contentOf(made.path)).toEqual(before)
  })

  it('is reported file by file', () => {
    const { files, indexes } = check(made.path)
    expect(files.map(({ file, what, facts }) => [file, what, facts])).toEqual([
      ['manifest-000001.log', 'manifest', '2 indexes, 10 segments'],
      ['tasks/tasks-000001.log', 'task log', '16 records, 2 waiting tasks'],
      ['tasks/bodies/000002.body', 'body', '400 documents for task 7'],
    ])
    expect(indexes.map(({ uid, documents }) => [uid, documents])).toEqual([
      ['films', made.films],
      ['books', 2],
    ])
    expect(indexes[0]!.segments.slice(0, 3).map(({ file, what }) => [file, what])).toEqual([
      ['segments/000001.docs', 'documents'],
      ['segments/000002.text', 'text'],
      ['manifest-000001.log (segment 3, columns)', 'columns'],
    ])
  })

  it('is shown as text for people', () => {
    const text = checkText(check(made.path))
    expect(text).toContain('segments/000001.docs')
    expect(text).toMatch(/films · 301 documents\n/)
    expect(text.endsWith('The database is sound.\n')).toBe(true)
  })

  it('may be new, or have unknown files', async () => {
    await withCopy(async (path) => {
      writeFileSync(join(path, 'segments/000099.docs'), 'x')
      writeFileSync(join(path, 'tasks/bodies/000001.body'), '')
      writeFileSync(join(path, 'notes.txt'), 'abc')
      const result = check(path)
      expect(result.isSound).toBe(true)
      expect(result.leftovers).toEqual([
        { file: 'notes.txt', bytes: 3 },
        { file: 'segments/000099.docs', bytes: 1 },
        { file: 'tasks/bodies/000001.body', bytes: 0 },
      ])
      expect(checkText(result)).toContain('notes.txt')
      const fresh = join(path, 'fresh')
      await (await openTestEngine(RealFileSystem.create(fresh))).close()
      expect(check(fresh)).toMatchObject({ isSound: true, indexes: [] })
    })
  })
})

describe('a database in use', () => {
  it('is sound when it was never closed', async () => {
    await withCopy(async (path) => {
      const engine = await openTestEngine(new RealFileSystem(path), { restMs: 1e9 })
      await addDocuments(engine, 'films', [{ id: 5000, title: 'last' }])
      await engine.idle()
      const killed = `${path}-killed`
      cpSync(path, killed, { recursive: true })
      await engine.close()
      const result = check(killed)
      expect(linesOf(result)).toEqual([])
      expect(result.notes).toEqual([
        expect.stringContaining('manifest-000001.log was not closed'),
        expect.stringContaining('tasks/tasks-000001.log was not closed'),
      ])
      expect(result.indexes[0]).toMatchObject({ documents: 401 })
      rmSync(killed, { recursive: true })
    })
  })

  it('is refused, unless the option says to check without the lock', async () => {
    await withCopy(async (path) => {
      const engine = await openTestEngine(new RealFileSystem(path), { batchTasksMax: 0 })
      expect(() => check(path)).toThrow(`process ${process.pid}`)
      const result = checkDatabase(path, { ...OPTIONS, lock: false })
      expect(result).toMatchObject({ isSound: true })
      expect(result.notes[0]).toContain('without the lock')
      await engine.close()
      const reader = new RealFileSystem(path).lockForReading('LOCK')
      expect(check(path).isSound).toBe(true)
      reader.release()
    })
  })

  it('is an error when it does not exist', () => {
    const root = join(made.path, '..', 'nothing')
    expect(() => check(root)).toThrow(ToolError)
    mkdirSync(root)
    expect(() => check(root)).toThrow('holds no database')
    expect(() => check(join(made.path, 'CURRENT'))).toThrow('is a file')
  })
})

describe('one index', () => {
  it('is checked alone, without tasks and unused files', async () => {
    await withCopy((path) => {
      writeFileSync(join(path, 'notes.txt'), 'abc')
      for (const name of ['segments/000001.docs', 'tasks/tasks-000001.log'])
        change(path, name, flip(90))
      const books = checkDatabase(path, { ...OPTIONS, index: 'books' })
      expect(books.indexes.map(({ uid }) => uid)).toEqual(['books'])
      expect(books.files.map(({ what }) => what)).toEqual(['manifest'])
      expect(books).toMatchObject({ isSound: true, leftovers: [] })
      const films = checkDatabase(path, { ...OPTIONS, index: 'films' })
      expect(linesOf(films)).toEqual([expect.stringMatching(/^segments\/000001.docs: /)])
      const other = () => checkDatabase(path, { ...OPTIONS, index: 'other' })
      expect(other).toThrow('there is no index `other`: the database has films, books')
    })
  })
})

describe('the progress', () => {
  function steps(index?: string) {
    const seen: [word: string, done: number][] = []
    let [total, ends] = [0, 0]
    const openProgress = (bytes: number) => {
      total = bytes
      const at = (done: number, word: string): void => void seen.push([word, done])
      return { at, end: () => void ends++ }
    }
    checkDatabase(made.path, {
      ...OPTIONS,
      openProgress,
      ...(index === undefined ? {} : { index }),
    })
    const words = [...new Set(seen.map(([word]) => word))]
    const of = (word: string): readonly number[] =>
      seen.flatMap(([one, done]) => (one === word ? [done] : []))
    return { of, words, total, ends }
  }

  it('goes through the bytes of segments, index by index, and of the task log', () => {
    const { indexes } = readDatabase(new RealFileSystem(made.path)).state
    const bytesOf = (uid: string): number =>
      [...indexes.values()]
        .filter((index) => index.uid === uid)
        .flatMap(({ segments }) => [...segments.values()])
        .reduce((sum, { bytes }) => sum + bytes, 0)
    const log = statSync(join(made.path, 'tasks/tasks-000001.log')).size
    const all = steps()
    expect([all.total, all.ends]).toEqual([bytesOf('films') + bytesOf('books') + log, 1])
    expect(all.words.slice(0, 3)).toEqual(['index films', 'index books', 'tasks/tasks-000001.log'])
    const segments = bytesOf('films') + bytesOf('books')
    expect(Math.max(...all.of('index films'))).toBeLessThanOrEqual(bytesOf('films'))
    expect(Math.min(...all.of('index books'))).toBeGreaterThan(bytesOf('films'))
    expect(Math.max(...all.of('index books'))).toBeLessThanOrEqual(segments)
    const ofLog = all.of('tasks/tasks-000001.log')
    expect(ofLog[0]).toBeGreaterThan(segments)
    expect(ofLog).toEqual([...ofLog].sort((a, b) => a - b))
    expect(ofLog.at(-1)).toBeGreaterThan(segments + log / 2)
    expect(ofLog.at(-1)).toBeLessThan(all.total)
    const [body] = all.words.slice(3)
    expect(body).toMatch(/^tasks\/bodies\//)
    expect(new Set(all.of(body!))).toEqual(new Set([all.total]))
    const books = steps('books')
    expect([books.total, books.words]).toEqual([bytesOf('books'), ['index books']])
    expect(Math.max(...books.of('index books'))).toBeLessThanOrEqual(bytesOf('books'))
  })
})

describe('a flipped bit', () => {
  const segments = ['segments/000001.docs', 'segments/000002.text']

  it('is reported with its file and section, in any section', async () => {
    await withCopy((path) => {
      for (const name of segments) {
        const bytes = readFileSync(join(path, name))
        const kind = bytes.toString('latin1', 4, 8)
        for (const { tag, offset, length } of Frame.open(bytes, kind).sections) {
          change(path, name, flip(offset + length - 1, 3))
          const result = check(path)
          expect(result.isSound, `${name} ${tag}`).toBe(false)
          const [first] = linesOf(result)
          const expected = `^${name}: section ${tag}, offset \\d+: bad_checksum`
          expect(first, `${name} ${tag}`).toMatch(new RegExp(expected))
          change(path, name, flip(offset + length - 1, 3))
        }
      }
      expect(check(path).isSound).toBe(true)
    })
  })

  it('anywhere is a problem, except in bytes without meaning', async () => {
    await withCopy((path) => {
      const names = filesOf(path)
      fc.assert(
        fc.property(fc.constantFrom(...names), fc.nat(), fc.nat(7), (name, place, bit) => {
          const { size } = statSync(join(path, name))
          const at = place % size
          change(path, name, flip(at, bit))
          const result = check(path)
          expect(result.isSound, `${name} at ${at}`).toBe(meansNothing(name, result))
          change(path, name, flip(at, bit))
        }),
        { numRuns: 120 },
      )
    })
  }, 120_000)

  /**
   * Bytes that may change without a finding. LOCK holds the number of a process for messages.
   * VERSION may name another release, which is a note: its database is read anyway. Seals are not
   * among them, because CLOSED records how the logs ended.
   */
  function meansNothing(name: string, found: CheckResult): boolean {
    if (name === 'LOCK') return true
    return name === 'VERSION' && found.version !== null && found.notes.length > 0
  }

  it('in each file alone leaves the others to be checked', async () => {
    await withCopy((path) => {
      for (const name of segments) change(path, name, flip(100))
      const { indexes, problemCount, notes } = check(path)
      const states = indexes[0]!.segments.map(({ problems }) => problems.length)
      expect(states.slice(0, 3)).toEqual([1, 1, 0])
      expect(indexes[0]).toMatchObject({ documents: null })
      expect(notes[0]).toContain('index films: layers and counts were not compared')
      expect(indexes[1]).toMatchObject({ documents: 2, problems: [] })
      expect(problemCount).toBe(2)
    })
  })
})

describe('files that are cut, missing or replaced', () => {
  it('of segments and bodies are reported', async () => {
    await withCopy((path) => {
      const names = ['segments/000001.docs', 'segments/000002.text', 'tasks/bodies/000002.body']
      for (const name of names) {
        const whole = readFileSync(join(path, name))
        for (const length of [0, 1, 40, whole.length >> 1, whole.length - 1]) {
          writeFileSync(join(path, name), whole.subarray(0, length))
          expect(linesOf(check(path))[0], `${name} at ${length}`).toContain(name)
        }
        writeFileSync(join(path, name), Buffer.concat([whole, Buffer.of(0)]))
        expect(check(path).isSound, `${name} made longer`).toBe(false)
        rmSync(join(path, name))
        expect(linesOf(check(path))[0]).toContain(`${name}: `)
        writeFileSync(join(path, name), whole)
      }
      expect(check(path).isSound).toBe(true)
    })
  })

  it('are not mistaken for the committed ones', async () => {
    await withCopy((path) => {
      change(path, 'segments/000001.docs', (bytes) =>
        encodeFrame('DOCS', (frame) => {
          for (const { tag, bytes: part } of Frame.open(bytes, 'DOCS').sections) {
            // The same documents under other ids, as sound as the right ones.
            const own = tag === 'RUNS' ? Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) : part
            frame.section(tag, 1, own)
          }
        }),
      )
      const lines = linesOf(check(path)).join('\n')
      expect(lines).toContain('not the file that was committed under this name')
      expect(lines).toContain('the smallest id is 1, and the manifest says 0')
    })
  })

  it('at the root leave as much as possible to be checked', async () => {
    await withCopy((path) => {
      writeFileSync(join(path, 'VERSION'), 'one')
      expect(linesOf(check(path))[0]).toMatch(/^VERSION: /)
      writeFileSync(join(path, 'VERSION'), '1.51.0')
      expect(check(path)).toMatchObject({ isSound: true, version: '1.51.0' })
      expect(check(path).notes[0]).toContain('release 1.51.0')
      rmSync(join(path, 'CURRENT'))
      const result = check(path)
      expect(linesOf(result)[0]).toMatch(/^CURRENT: .*no such file/)
      expect(result.files.map(({ what }) => what)).toEqual(['manifest', 'task log', 'body'])
      expect(result).toMatchObject({ indexes: [], leftovers: [] })
    })
  })

  it('of tasks are reported missing', async () => {
    await withCopy((path) => {
      rmSync(join(path, 'tasks'), { recursive: true })
      expect(linesOf(check(path))).toEqual([
        'tasks/tasks-000001.log: `tasks/tasks-000001.log` is missing: it was there when the ' +
          'database was closed',
        'tasks: there is no task log: the history of tasks and all waiting tasks are lost',
      ])
    })
  })
})

describe('a manifest with wrong facts', () => {
  const deadIn = (segment: number, generation: number, ids: readonly number[]): Change => ({
    kind: 'tombstones-added',
    index: asIndexNo(1),
    segment: asSegmentNo(segment),
    form: 'delta',
    generation,
    ids: IdSet.of(ids),
  })
  const cases: readonly [string, readonly Change[], RegExp][] = [
    [
      'a count',
      [{ kind: 'field-counts', index: asIndexNo(1), counts: [[1, 2]] }],
      /index films: documents that have a field .* title 303 instead of|title 301 instead of 303/,
    ],
    [
      'a document dead in one layer',
      [deadIn(2, 3, [20])],
      /live documents have a searched field and are not in the text layer: 1 \(20\)/,
    ],
    [
      'as many as are named',
      [deadIn(2, 3, [20, 21, 22, 23, 24])],
      /not in the text layer: 5 \(20, 21, 22, 23, 24\)/,
    ],
    [
      'more than are named',
      [deadIn(2, 3, [20, 21, 22, 23, 24, 25])],
      /not in the text layer: 6 \(20, 21, 22, 23, 24, …\)/,
    ],
    [
      'a document alive where it is not stored',
      [deadIn(1, 4, [20])],
      /live documents of the text layer are not stored: 1 \(20\)/,
    ],
    [
      'a segment twice',
      [],
      /segment 90 and an earlier one both have \d+ live documents of the documents layer/,
    ],
    [
      'settings',
      [{ kind: 'settings-set', index: asIndexNo(1), settings: '{"searchableAttributes":7}' }],
      /index films: section settings, searchableAttributes, offset 0: bad_value/,
    ],
    [
      'the outcome of a batch',
      [{ kind: 'tasks-finished', batch: asBatchUid(99), record: Uint8Array.of(1, 2, 3) }],
      /manifest-000001.log \(outcome of batch 99\): section /,
    ],
    [
      'the primary key',
      [{ kind: 'primary-key-set', index: asIndexNo(1), primaryKey: 'title' }],
      /have different ids for 301 documents/,
    ],
    [
      'a text segment less',
      [{ kind: 'segment-removed', index: asIndexNo(1), segment: asSegmentNo(5) }],
      /text layer: 4 \(7, 300/,
    ],
    [
      'settings that would have needed a rebuild',
      [
        {
          kind: 'settings-set',
          index: asIndexNo(2),
          settings: '{"filterableAttributes":["name"]}',
        },
      ],
      /live documents have a faceted field and are not in the columns layer: 1 \(0\)/,
    ],
  ]
  for (const [what, changes, expected] of cases) {
    it(`about ${what} is detected`, async () => {
      await withCopy(async (path) => {
        const { segments } = readDatabase(new RealFileSystem(path)).state.indexes.get(asIndexNo(1))!
        const { generation: _, dead: __, ...again } = segments.get(asSegmentNo(4))!
        const twice: Change = {
          kind: 'segment-added',
          index: asIndexNo(1),
          ...again,
          segment: asSegmentNo(90),
        }
        await commitEdit(path, changes.length > 0 ? changes : [twice])
        const result = check(path)
        expect(result.isSound).toBe(false)
        expect(linesOf(result).join('\n')).toMatch(expected)
        expect(checkText(result)).toMatch(/problems? (was|were) found/)
      })
    })
  }

  it('about fields is detected', async () => {
    await withCopy(async (path) => {
      const { state } = readDatabase(new RealFileSystem(path))
      const {
        generation: _,
        dead: __,
        ...segment
      } = state.indexes.get(asIndexNo(1))!.segments.get(asSegmentNo(4))!
      await commitEdit(path, [
        { kind: 'segment-added', index: asIndexNo(2), ...segment, segment: asSegmentNo(91) },
      ])
      const lines = linesOf(check(path)).join('\n')
      expect(lines).toMatch(
        /segment 91, documents\): field \d is in it, and the index has 2 fields/,
      )
    })
  })

  it('about external ids is detected', async () => {
    await withCopy(async (path) => {
      const { state } = readDatabase(new RealFileSystem(path))
      const {
        generation: _,
        dead: __,
        ...segment
      } = state.indexes.get(asIndexNo(2))!.segments.get(asSegmentNo(9))!
      if (segment.location.kind !== 'inline') throw new Error('a small segment is inline')
      // The same two books under other document ids.
      const sections = [...Frame.open(segment.location.frame, 'DOCS').sections]
      const frame = encodeFrame('DOCS', (writer) => {
        for (const { tag, bytes } of sections) {
          writer.section(tag, 1, tag === 'RUNS' ? Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0) : bytes)
        }
      })
      const copy: Change = {
        kind: 'segment-added',
        index: asIndexNo(2),
        ...segment,
        segment: asSegmentNo(92),
        idMin: 5,
        idMax: 6,
        location: { kind: 'inline', frame },
      }
      await commitEdit(path, [copy])
      expect(linesOf(check(path)).join('\n')).toContain('the same external id: 0 and 5; 1 and 6')
    })
  })
})

describe('tasks', () => {
  it('that wait for a different body are reported', async () => {
    await withCopy((path) => {
      const name = 'tasks/bodies/000002.body'
      change(path, name, flip(5000))
      expect(linesOf(check(path))).toEqual([
        expect.stringMatching(
          /^tasks\/bodies\/000002.body: section body, offset \d+: bad_checksum/,
        ),
      ])
    })
  })

  it('whose log ends in the middle of a write are complete', async () => {
    await withCopy((path) => {
      const name = 'tasks/tasks-000001.log'
      // The server was killed instead of closed.
      rmSync(join(path, 'CLOSED'))
      change(path, name, (bytes) => Buffer.concat([bytes, Buffer.of(1, 2, 3)]))
      const result = check(path)
      expect(result).toMatchObject({ isSound: true })
      expect(result.notes[0]).toContain(`${name} ends in the middle of a write (3 bytes)`)
      expect(checkText(result)).toContain('Note: ')
    })
  })

  it('whose log is damaged are reported with the position', async () => {
    await withCopy((path) => {
      const name = 'tasks/tasks-000001.log'
      const offsets: number[] = []
      readLog(readFileSync(join(path, name)), 'TASK', ({ offset }) => offsets.push(offset))
      change(path, name, flip(offsets[2]! + 40))
      expect(linesOf(check(path))[0]).toContain(
        `${name}: section TASK log, offset ${offsets[2]}: bad_checksum`,
      )
      expect(existsSync(join(path, name))).toBe(true)
    })
  })
})
