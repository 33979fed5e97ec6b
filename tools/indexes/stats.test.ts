// The statistics of indexes: counted from the files as the engine counts them, and as text.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnsLayer, textLayer } from '../../engine/store/layers/index.ts'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
} from '../../engine/testing/test-engine.ts'
import { asIndexUid } from '../../format/ids.ts'
import { ToolError } from '../terminal/index.ts'
import { type MadeDatabase, makeDatabase } from '../test-support.ts'
import { type IndexStats, indexStats, indexStatsText } from './stats.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
}, 120_000)
afterAll(() => made.remove())

describe('the statistics of an index', () => {
  it('count live documents, their fields and the changed settings', async () => {
    const engine = await openTestEngine(new RealFileSystem(made.path), { batchTasksMax: 0 })
    const documents = await documentsOf(engine, 'films')
    await engine.close()
    const [stats, ...others] = indexStats(made.path, asIndexUid('films'))
    expect([others, stats!.uid, stats!.primaryKey]).toEqual([[], 'films', 'id'])
    expect(stats!.documents).toBe(documents.length)
    const counts = new Map<string, number>()
    for (const name of documents.flatMap((document) => Object.keys(document))) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const top = stats!.fields.filter(({ name }) => !name.includes('.'))
    expect(new Map(top.map(({ name, documents: count }) => [name, count]))).toEqual(counts)
    expect(stats!.settings).toEqual({
      filterableAttributes: ['year', 'genres', '_geo'],
      searchableAttributes: ['title', 'overview', 'note'],
      sortableAttributes: ['year'],
    })
    const bytes = stats!.layers.reduce((sum, layer) => sum + layer.bytes, 0)
    expect([stats!.bytes, stats!.bytesPerDocument]).toEqual([
      bytes,
      Math.round(bytes / documents.length),
    ])
    const versions = [textLayer, columnsLayer].map(({ analysis }) => analysis!.version)
    expect(stats!.analysis).toBe(Math.min(...versions))
    expect(stats!.words.occurrences).toBeGreaterThan(stats!.words.terms)
  })

  it('are those of all indexes, or of one that exists', () => {
    expect(indexStats(made.path, null).map(({ uid }) => uid)).toEqual(['films', 'books'])
    expect(() => indexStats(made.path, asIndexUid('nothing'))).toThrow(
      new ToolError('there is no index `nothing`: the database has films, books'),
    )
  })

  it('are empty for a database without indexes, and lack fields of deleted documents', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-stats-'))
    const path = join(folder, 'db')
    const engine = await openTestEngine(RealFileSystem.create(path), { path })
    expect(indexStats(path, null)).toEqual([])
    expect(() => indexStats(path, asIndexUid('a'))).toThrow(
      new ToolError('there is no index `a`: the database has none'),
    )
    await addDocuments(engine, 'a', [{ id: 1, gone: 2 }, { id: 2 }])
    await enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids: ['1'] })
    await engine.idle()
    await engine.close()
    const [{ documents, fields }] = indexStats(path, null) as [IndexStats]
    expect([documents, fields]).toEqual([1, [{ name: 'id', documents: 1 }]])
    rmSync(folder, { recursive: true })
  })
})

describe('the text of statistics', () => {
  const empty: IndexStats = {
    uid: asIndexUid('a'),
    primaryKey: null,
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-03T03:04:05Z',
    documents: 0,
    bytes: 0,
    bytesPerDocument: 0,
    layers: [],
    words: { terms: 0, occurrences: 0 },
    analysis: null,
    fields: [],
    settings: {},
  }

  it('of an empty index has no tables', () => {
    expect(indexStatsText([empty])).toBe(
      'a · 0 documents · 0 B · no primary key\n' +
        'created 2026-01-02T03:04:05Z, updated 2026-01-03T03:04:05Z\n' +
        '0 terms, 0 occurrences · 0 B per document\n\n\n',
    )
    expect(indexStatsText([])).toBe('The database has no index.\n')
  })

  it('has layers, fields and settings, and a line between indexes', () => {
    const layer = { layer: 'text', segments: 2, documents: 1234, dead: 1, bytes: 512 }
    const full: IndexStats = {
      ...empty,
      primaryKey: 'id',
      documents: 1233,
      bytes: 1024,
      bytesPerDocument: 1,
      layers: [layer] as unknown as IndexStats['layers'],
      words: { terms: 1, occurrences: 2 },
      analysis: 0,
      fields: [{ name: 'id', documents: 1233 }],
      settings: { stopWords: ['the'] },
    }
    expect(indexStatsText([full])).toBe(
      'a · 1,233 documents · 1 KiB · primary key id\n' +
        'created 2026-01-02T03:04:05Z, updated 2026-01-03T03:04:05Z\n' +
        '1 term, 2 occurrences · 1 B per document · analysis version unknown\n\n' +
        '  layer  segments  documents  dead  bytes   share\n' +
        '  text          2      1,234     1  512 B  50.0 %\n\n' +
        '  field  documents\n' +
        '  id         1,233\n' +
        '\nChanged settings:\n  stopWords: ["the"]\n',
    )
    const two = indexStatsText([{ ...empty, analysis: 7 }, empty])
    expect(two.split('\na · ')).toHaveLength(2)
    expect(two).toContain('0 B per document · analysis 7\n')
  })
})
