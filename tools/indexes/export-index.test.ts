// Export of an index to files: each format holds all documents.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BodyFormat } from '../../engine/model/index.ts'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { addDocuments, documentsOf, openTestEngine } from '../../engine/testing/test-engine.ts'
import { createIntake, readBody } from '../../engine/write/intake/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { ToolError } from '../terminal/index.ts'
import { film, type MadeDatabase, makeDatabase } from '../test-support.ts'
import { csvColumns, csvHead, csvLine, membersOf } from './csv.ts'
import { type ExportOptions, exportText } from './export-index.ts'
import { exportIndex, indexStats } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-export-'))
let made: MadeDatabase
let stored: readonly object[]
beforeAll(async () => {
  made = await makeDatabase()
  const engine = await openTestEngine(new RealFileSystem(made.path), { batchTasksMax: 0 })
  stored = await documentsOf(engine, 'films')
  await engine.close()
}, 120_000)
afterAll(() => {
  made.remove()
  rmSync(folder, { recursive: true })
})

const PLAIN: Omit<ExportOptions, 'index' | 'write'> = {
  format: 'ndjson',
  filter: null,
  output: null,
  settings: null,
  force: false,
  openProgress: () => ({ at: () => undefined, end: () => undefined }),
}

async function exported(options: Partial<ExportOptions>): Promise<string> {
  const written: string[] = []
  await exportIndex(made.path, {
    ...PLAIN,
    index: asIndexUid('films'),
    write: (text) => written.push(text),
    ...options,
  })
  return written.join('')
}

describe('an export', () => {
  it('has every document, as lines or as a list', async () => {
    const lines = (await exported({})).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(stored)
    expect(JSON.parse(await exported({ format: 'json' }))).toEqual(stored)
    expect(lines).toHaveLength(made.films)
  })

  it('as CSV has the types of columns, and loses no value', async () => {
    const text = await exported({ format: 'csv' })
    const [head, ...rows] = parse(text) as string[][]
    expect(head!.slice(0, 3)).toEqual(['id:number', 'title', 'overview'])
    const back = rows.map((cells) =>
      Object.fromEntries(
        cells.flatMap((cell, i) => {
          if (cell === '') return []
          const [name, kind] = head![i]!.split(':')
          const isJson = kind === 'number' || kind === 'json'
          return [[name, isJson ? JSON.parse(cell) : cell]]
        }),
      ),
    )
    expect(back).toEqual(stored)
  })

  it('has the documents that match a filter, possibly none', async () => {
    const some = (await exported({ filter: 'year = 1960' })).trimEnd().split('\n')
    const expected = stored.filter((film) => 'year' in film && film.year === 1960)
    expect(some.map((line) => JSON.parse(line))).toEqual(expected)
    expect(await exported({ filter: 'year = 1', format: 'json' })).toBe('[]\n')
    expect(await exported({ filter: 'year = 1' })).toBe('')
  })

  it('writes files, and does not overwrite existing ones', async () => {
    const output = join(folder, 'films.ndjson')
    const settings = join(folder, 'settings.json')
    await exported({ output, settings })
    expect(readFileSync(output, 'utf8').split('\n')).toHaveLength(made.films + 1)
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toMatchObject({
      filterableAttributes: ['year', 'genres', '_geo'],
    })
    await expect(exported({ output })).rejects.toThrow('--force overwrites it')
    await exported({ output, force: true })
  })

  it('is refused for an unknown index, and for a faulty filter', async () => {
    await expect(exported({ index: asIndexUid('nothing') })).rejects.toThrow(
      new ToolError('there is no index `nothing`: the database has films, books'),
    )
    const filter = 'year ='
    await expect(exported({ filter })).rejects.toThrow(
      new ToolError(
        '--filter: Index `films`: Was expecting a value but instead got nothing. · 7:7 year =',
      ),
    )
  })

  it('that fails leaves no file', async () => {
    const output = join(folder, 'failed.ndjson')
    const fail = (): never => {
      throw new TypeError('a mistake')
    }
    const failing = exported({ output, openProgress: () => ({ at: fail, end: () => undefined }) })
    await expect(failing).rejects.toThrow(new TypeError('a mistake'))
    expect(existsSync(output)).toBe(false)
  })

  it('is described with its files', () => {
    const result = { index: asIndexUid('films'), documents: 1, output: null, settings: null }
    expect(exportText(result)).toBe('1 document of films written to standard output\n')
    expect(exportText({ ...result, output: 'a.csv', settings: 's.json' })).toBe(
      '1 document of films written to a.csv\nsettings written to s.json\n',
    )
  })
})

describe('beside a server that writes and merges', () => {
  it('each export shows one moment, and so do the counts', async () => {
    const path = join(folder, 'busy.ms')
    const engine = await openTestEngine(RealFileSystem.create(path), { path, restMs: 0 })
    const add = (batch: number) =>
      addDocuments(
        engine,
        'films',
        Array.from({ length: 40 }, (_, i) => film(batch * 40 + i)),
      )
    await add(0)
    await engine.idle()
    let isDone = false
    const writing = (async () => {
      for (let batch = 1; batch < 12; batch++) {
        await add(batch)
        await engine.allMerged()
      }
      isDone = true
    })()
    let exports = 0
    while (!isDone || exports === 0) {
      // Without threads nothing else waits for the event loop.
      await new Promise((resolve) => setTimeout(resolve, 5))
      const lines: string[] = []
      await exportIndex(path, {
        ...PLAIN,
        index: asIndexUid('films'),
        write: (text) => lines.push(text),
      })
      const ids = lines
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id as number)
      expect(ids.length % 40).toBe(0)
      expect(new Set(ids).size).toBe(ids.length)
      expect(indexStats(path, asIndexUid('films'))[0]!.documents % 40).toBe(0)
      exports++
    }
    await writing
    await engine.close()
    expect(indexStats(path, asIndexUid('films'))[0]!.documents).toBe(480)
  })
})

describe('CSV of any documents', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'a',
      'a:number',
      'b:json',
      'c:string',
      'x:y',
      ':boolean',
      'a,b',
      'say "x"',
      '_geo',
      '_geo.lat',
      '_geo.lng',
    ),
    fc.string({ maxLength: 3 }),
  )
  const number = fc.constantFrom(
    '712345678901234561',
    '-9223372036854775808',
    '1.0',
    '-0.0',
    '1e-7',
  )
  const value = fc.oneof(
    number,
    fc.bigInt().map(String),
    fc.string({ maxLength: 5, unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('{"lat":1.5,"lng":-2}', '"48.85,2"'),
    fc.constantFrom('""', '"true"', '"5"', '" "', 'true', 'false', 'null', '[]', '{}'),
    fc.tuple(number, fc.jsonValue()).map(([n, json]) => `[${n},${JSON.stringify(json)}]`),
  )
  const document = fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 })

  it('comes back as it was, but for null in place of members that are missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 5 }), async (drawn) => {
        const sent = drawn.map((members, id) => textOf({ ...members, pk: String(id) }))
        const stored = intakeOf({ kind: 'json' }, `[${sent.join(',')}]`)
        const columns = await csvColumns(once(stored))
        const lines = stored.map((one) => csvLine(columns, one))
        const back = intakeOf({ kind: 'csv', delimiter: ',' }, csvHead(columns) + lines.join(''))
        const plain = columns.filter(({ kind }) => kind !== 'json')
        const filled = stored.map((one) => ({
          ...Object.fromEntries(plain.map((column) => [column.name, 'null'])),
          ...Object.fromEntries(membersOf(one)),
        }))
        expect(back.map((one) => Object.fromEntries(membersOf(one)))).toEqual(filled)
      }),
      { numRuns: 300 },
    )
  })
})

/** Returns the JSON of an object of JSON values. */
const textOf = (members: { readonly [name: string]: string }): string =>
  `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`

async function* once(lines: readonly string[]): AsyncIterable<readonly string[]> {
  yield lines
}

/** Returns the documents that a server would store. */
function intakeOf(format: BodyFormat, body: string): string[] {
  const pieces: Uint8Array[] = []
  const intake = createIntake(format, (piece) => pieces.push(piece.slice()))
  intake.push(Buffer.from(body))
  intake.finish()
  const stored = readBody(new Uint8Array(Buffer.concat(pieces)))
  const documents: string[] = []
  while (stored.next()) {
    documents.push(Buffer.from(stored.bytes.subarray(stored.start, stored.end)).toString())
  }
  return documents
}

describe('a line of CSV', () => {
  it('quotes where necessary', () => {
    const columns = [
      { name: 'a,b', kind: 'string' },
      { name: 'c', kind: 'boolean' },
    ] as const
    expect(csvHead(columns)).toBe('"a,b",c:boolean\n')
    const line = csvLine(columns, JSON.stringify({ 'a,b': 'say "x"\n', c: true }))
    expect(line).toBe('"say ""x""\n",true\n')
    expect(csvLine(columns, '{"c":null}')).toBe(',\n')
  })
})
