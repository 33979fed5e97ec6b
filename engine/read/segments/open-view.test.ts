// Views opened from files and from edits: documents found through several segments, readers shared
// and closed, damage reported with the name of the file.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { ColumnsBuilder } from '../../../format/columns/index.ts'
import { DocumentsWriter, encodeRecord } from '../../../format/documents/index.ts'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import {
  asIndexNo,
  asIndexUid,
  asSegmentNo,
  type DocId,
  type FieldId,
} from '../../../format/ids.ts'
import { IdSet, idSetData } from '../../../format/idset/index.ts'
import { StorageError } from '../../model/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import { columnsLayer, documentsLayer, layerNamed, textLayer } from '../../store/layers/index.ts'
import { compress, FakeDisk, type FileSystem, RealFileSystem } from '../../store/storage/index.ts'
import type { SegmentRef, ViewRef } from '../../store/views/index.ts'
import { inFile, OpenView, SegmentCache, ShardDocuments } from './index.ts'

const encoder = new TextEncoder()
/** Id → external id and the value of its only field. */
type Documents = ReadonlyMap<number, readonly [externalId: string, value: number]>

const recordOf = (value: number): Uint8Array =>
  encodeRecord([[0, encoder.encode(JSON.stringify(`value ${value}`))]])

function bytesOf(documents: Documents): Uint8Array {
  const out = new ByteWriter(1024)
  const writer = new DocumentsWriter(
    (bytes) => out.bytes(bytes),
    (bytes) => compress(bytes, 1),
  )
  for (const [id, [externalId, value]] of [...documents].sort(([a], [b]) => a - b)) {
    writer.add(id, encoder.encode(externalId), recordOf(value))
  }
  writer.finish()
  return out.finish()
}

type Place = 'inline' | 'file'

function refOf(
  fs: FileSystem,
  segment: number,
  documents: Documents,
  dead: readonly number[],
  place: Place,
): SegmentRef {
  const frame = bytesOf(documents)
  if (place === 'file') write(fs, segment, frame)
  const ids = [...documents.keys()]
  return {
    segment: asSegmentNo(segment),
    layer: 'documents',
    documents: ids.length,
    idMin: Math.min(...ids),
    idMax: Math.max(...ids),
    bytes: frame.length,
    location: place === 'file' ? { kind: 'file', checksum: 0 } : { kind: 'inline', frame },
    generation: 0,
    dead: dead.length === 0 ? null : idSetData(IdSet.ofSorted(Uint32Array.from(dead))),
  }
}

function write(fs: FileSystem, segment: number, bytes: Uint8Array): void {
  const file = fs.open(segmentPath(asSegmentNo(segment), 'documents'), 'create')
  file.write(0, bytes)
  file.close()
}

function newFileSystem(): FileSystem {
  const fs = new FakeDisk().mount()
  fs.makeDirectory('segments')
  return fs
}

/** Returns the resident part of mapped files below `folder`; null if the system maps none. */
function residentKibibytes(folder: string): number | null {
  if (process.platform !== 'linux') return null
  const mapped = readFileSync('/proc/self/smaps', 'utf8').split(`${folder}/`).slice(1)
  if (mapped.length === 0) return null
  return mapped.reduce((sum, text) => sum + Number(/^Rss: +(\d+) kB$/m.exec(text)![1]), 0)
}

const viewOf = (segments: readonly SegmentRef[]): ViewRef => ({
  index: asIndexNo(1),
  uid: asIndexUid('movies'),
  sequence: 1,
  primaryKey: 'id',
  fields: ['id'],
  settings: '{}',
  segments,
})

describe('a view', () => {
  const documents = fc
    .array(fc.tuple(fc.nat(40), fc.nat(99)), { minLength: 1, maxLength: 15 })
    .map((entries) => new Map(entries))
  const segments = fc.array(fc.tuple(documents, fc.constantFrom<Place>('inline', 'file')), {
    maxLength: 4,
  })

  it('shows the live copy of every document', () => {
    fc.assert(
      fc.property(segments, fc.uniqueArray(fc.nat(40)), (drawn, deleted) => {
        const fs = newFileSystem()
        const live = new Map<number, number>()
        const refs = drawn.map(([values, place], s) => {
          const isDead = (id: number) =>
            deleted.includes(id) || drawn.slice(s + 1).some(([later]) => later.has(id))
          const dead = [...values.keys()].filter(isDead).sort((a, b) => a - b)
          for (const [id, value] of values) if (!isDead(id)) live.set(id, value)
          const named = new Map(
            [...values].map(([id, value]) => [id, [`doc-${id}`, value]] as const),
          )
          return refOf(fs, s + 1, named, dead, place)
        })
        const view = new OpenView(viewOf(refs), new SegmentCache(fs, 4096))
        expect([...view.live().toArray()]).toEqual([...live.keys()].sort((a, b) => a - b))
        for (let id = 0; id <= 41; id++) {
          const value = live.get(id)
          const externalId = encoder.encode(`doc-${id}`)
          expect(view.idOf(externalId)).toBe(value === undefined ? -1 : id)
          expect(view.record(id)).toEqual(value === undefined ? null : recordOf(value))
          expect(view.externalId(id)).toEqual(value === undefined ? null : externalId)
        }
        expect(view.layer(textLayer)).toEqual([])
        expect(view.layer(columnsLayer)).toEqual([])
        expect(view.textIndex.word('value')).toBeNull()
      }),
    )
  })
})

describe('the cache of segments', () => {
  const values: Documents = new Map([
    [3, ['three', 1]],
    [5, ['five', 2]],
  ])

  it('opens a segment once for all states of its tombstones', () => {
    const fs = newFileSystem()
    const cache = new SegmentCache(fs, 4096)
    const ref = refOf(fs, 7, values, [], 'file')
    const reader = cache.open(documentsLayer, ref)
    const younger = { ...ref, generation: 1, dead: idSetData(IdSet.of([3])) }
    expect(cache.open(documentsLayer, younger)).toBe(reader)
    expect([...new OpenView(viewOf([ref]), cache).live().toArray()]).toEqual([3, 5])
    expect([...new OpenView(viewOf([younger]), cache).live().toArray()]).toEqual([5])
  })

  it('closes segments once', () => {
    const fs = newFileSystem()
    const cache = new SegmentCache(fs, 4096)
    const ref = refOf(fs, 7, values, [], 'file')
    const reader = cache.open(documentsLayer, ref)
    const dropped = cache.drop([asSegmentNo(6), asSegmentNo(7), asSegmentNo(7)])
    expect(dropped.map(({ bytes }) => bytes)).toEqual([ref.bytes])
    expect(dropped[0]!.memory.deref()).toBeInstanceOf(ArrayBuffer)
    expect(cache.drop([asSegmentNo(7)])).toEqual([])
    expect(cache.open(documentsLayer, ref)).not.toBe(reader)
  })

  it('reads released pages again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
    try {
      const fs = new RealFileSystem(folder)
      fs.makeDirectory('segments')
      const cache = new SegmentCache(fs, 4096)
      const ref = refOf(fs, 7, values, [], 'file')
      const reader = cache.open(documentsLayer, ref)
      expect(reader.record(5)).toEqual(recordOf(2))
      const before = residentKibibytes(folder)
      cache.releasePages()
      if (before !== null) {
        expect(before).toBeGreaterThan(0)
        expect(residentKibibytes(folder)).toBe(0)
      }
      expect(cache.open(documentsLayer, ref)).toBe(reader)
      expect(reader.externalId(5)).toEqual(encoder.encode(values.get(5)![0]))
      expect(reader.record(5)).toEqual(recordOf(2))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('closes all segments that cannot be mapped when too much of them is loaded', () => {
    const fs = newFileSystem()
    const cache = new SegmentCache(fs, 4096)
    const ref = refOf(fs, 7, values, [], 'file')
    const inline = refOf(fs, 8, values, [], 'inline')
    const reader = cache.open(documentsLayer, ref)
    const ofEdit = cache.open(documentsLayer, inline)
    expect(reader.record(5)).toEqual(recordOf(2))
    expect(cache.dropLoaded(ref.bytes * 2)).toEqual({ segments: [], files: [] })
    const { segments, files } = cache.dropLoaded(100)
    expect([segments, files.map(({ bytes }) => bytes)]).toEqual([[7], [ref.bytes]])
    expect(cache.open(documentsLayer, ref)).not.toBe(reader)
    expect(cache.open(documentsLayer, inline)).toBe(ofEdit)
    expect(cache.open(documentsLayer, ref).record(5)).toEqual(recordOf(2))
  })

  it('keeps a segment of an edit when the memory of the edit is reused', () => {
    const fs = newFileSystem()
    const cache = new SegmentCache(fs, 4096)
    const ref = refOf(fs, 7, values, [], 'inline')
    const reader = cache.open(documentsLayer, ref)
    if (ref.location.kind === 'inline') ref.location.frame.fill(0)
    expect(reader.record(5)).toEqual(recordOf(2))
  })

  const codeOf = (work: () => unknown): readonly [string, string] => {
    try {
      work()
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError)
      const { code, path } = error as StorageError
      return [code, path]
    }
    return ['none', '']
  }
  const path = segmentPath(asSegmentNo(7), 'documents')

  it('names the file that is missing, short or damaged', () => {
    const fs = newFileSystem()
    const ref = refOf(newFileSystem(), 7, values, [], 'file')
    const open = (one: SegmentRef) =>
      codeOf(() => new SegmentCache(fs, 0).open(layerNamed(one.layer), one))
    expect(open(ref)).toEqual(['missing', path])
    const bytes = bytesOf(values)
    write(fs, 7, bytes.subarray(0, bytes.length - 1))
    expect(open(ref)).toEqual(['short_file', path])
    fs.remove(path)
    const wrong = bytes.slice()
    wrong[bytes.length - 1]! ^= 1
    write(fs, 7, wrong)
    expect(open(ref)).toEqual(['corrupt', path])
    expect(open({ ...ref, layer: 'text', segment: asSegmentNo(7) })[0]).toBe('missing')
  })

  it('tries a failed opening again', () => {
    const fs = newFileSystem()
    const cache = new SegmentCache(fs, 0)
    const ref = refOf(newFileSystem(), 7, values, [], 'file')
    expect(codeOf(() => cache.open(documentsLayer, ref))).toEqual(['missing', path])
    write(fs, 7, bytesOf(values))
    expect(cache.open(documentsLayer, ref).record(3)).toEqual(recordOf(1))
  })

  it('reports later damage with the name of the file as well', () => {
    const fail = (error: Error) => () =>
      inFile('a/b', () => {
        throw error
      })
    expect(
      codeOf(fail(new CorruptionError('bad_value', { section: 'X', offset: 1 }, 2, 3))),
    ).toEqual(['corrupt', 'a/b'])
    expect(codeOf(fail(new VersionError('X', 9, 1, 2)))).toEqual(['version', 'a/b'])
    expect(fail(new RangeError('other'))).toThrow(RangeError)
    expect(inFile('a/b', () => 5)).toBe(5)
  })
})

describe('the documents of shards', () => {
  const names = ['s1', 's2', 's3']
  const open = (): OpenView => {
    const fs = newFileSystem()
    const values = (from: number, to: number): Documents =>
      new Map(Array.from({ length: to - from }, (_, i) => [from + i, [`d${from + i}`, i]]))
    const refs = [
      refOf(fs, 1, values(0, 60), [3, 17], 'file'),
      refOf(fs, 2, values(60, 90), [61], 'inline'),
    ]
    return new OpenView(viewOf(refs), new SegmentCache(fs, 4096))
  }
  const shardsOf = (view: OpenView, all: readonly string[] = names): ShardDocuments =>
    new ShardDocuments(view, all, () => undefined)

  it('are all live documents, each in one shard', () => {
    const view = open()
    const shards = shardsOf(view)
    const each = names.map((name) => shards.union([name]))
    expect(each.every((set) => set.size > 0)).toBe(true)
    expect(each.reduce((sum, { size }) => sum + size, 0)).toBe(view.live().size)
    expect(shards.union(names).toArray()).toEqual(view.live().toArray())
    expect(shards.union(['s1', 's3']).toArray()).toEqual(each[0]!.or(each[2]!).toArray())
  })

  it('are the same object while the view lives, also for another caller', () => {
    const view = open()
    for (const asked of [['s2'], ['s1', 's3'], names]) {
      expect(shardsOf(view).union(asked)).toBe(shardsOf(view).union(asked))
    }
    expect(shardsOf(open()).union(['s2'])).not.toBe(shardsOf(view).union(['s2']))
  })

  it('follow the names of the shards', () => {
    const view = open()
    const [some, all] = [shardsOf(view), shardsOf(view, ['s1'])].map((one) => one.union(['s1']))
    expect(some!.size).toBeLessThan(all!.size)
    expect(all!.toArray()).toEqual(view.live().toArray())
  })

  it('are empty for a shard that the network does not have', () => {
    const shards = shardsOf(open())
    expect([shards.has('s1'), shards.has('s4')]).toEqual([true, false])
    expect(shards.union(['s4']).isEmpty).toBe(true)
    expect(shards.union([]).isEmpty).toBe(true)
  })
})

describe('a view whose documents expire', () => {
  const FIELD = 3
  let now = 0
  const opened = (hasColumns: boolean) => {
    const documents: Documents = new Map([
      [2, ['two', 1]],
      [5, ['five', 2]],
    ])
    const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
    for (const [id, seconds] of [
      [2, 10],
      [5, 20],
    ] as const) {
      builder.begin(id)
      builder.exists(FIELD)
      builder.number(FIELD, seconds)
    }
    const out = new ByteWriter(1024)
    builder.finish((bytes) => out.bytes(bytes))
    const frame = out.finish()
    const fs = newFileSystem()
    const ref = refOf(fs, 1, documents, [], 'inline')
    const location = { kind: 'inline', frame } as const
    const columns = { ...ref, segment: asSegmentNo(2), layer: 'columns', location } as const
    const refs = hasColumns ? [ref, columns] : [ref]
    const expiresAt = { field: FIELD as FieldId, now: () => now }
    return new OpenView(viewOf(refs), new SegmentCache(fs, 4096), expiresAt)
  }
  const idOf = (view: OpenView, name: string): number => view.idOf(encoder.encode(name))

  it('finds those that have not expired', () => {
    const view = opened(true)
    now = 9999
    expect(view.live()).toBe(view.stored())
    expect([idOf(view, 'two'), idOf(view, 'five'), idOf(view, 'six')]).toEqual([2, 5, -1])
    now = 10_000
    expect([...view.live().toArray()]).toEqual([5])
    expect([...view.stored().toArray()]).toEqual([2, 5])
    expect([idOf(view, 'two'), idOf(view, 'five')]).toEqual([-1, 5])
    // It is stored until a task deletes it.
    expect(view.record(2 as DocId)).not.toBeNull()
    now = 20_000
    expect([view.live().isEmpty, idOf(view, 'five')]).toEqual([true, -1])
  })

  it('finds all of them without columns', () => {
    const view = opened(false)
    now = 1e15
    expect(view.live()).toBe(view.stored())
  })
})
