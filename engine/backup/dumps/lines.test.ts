// The small readers of a dump: texts of older releases, files by lines, moments, sets of tasks.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { TASK_KINDS } from '../../task-kinds/index.ts'
import { readBatchLine } from './batch-lines.ts'
import { DumpError } from './dump-error.ts'
import { isDumpUid } from './layout.ts'
import { type DumpFiles, linesOf, namesIn, smallFile, smallValue } from './lines.ts'
import { microsOf, microsOrNull, nanosOf, readMoment } from './moments.ts'
import { patchOfV1, settingsOfV1 } from './older-settings.ts'
import { taskOfEvents, taskOfUpdate, taskOfV1 } from './older-tasks.ts'
import { setOfRoaringBytes } from './roaring-bytes.ts'

describe('a moment', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0, 0],
    ['1970-01-02t00:00:00z', 86_400e6, 0],
    ['1970-01-01 01:02:03.5Z', 3723.5e6, 0],
    ['1970-01-01T00:00:00.1234567Z', 123_456, 700],
    ['1970-01-01T00:00:00.123456789Z', 123_456, 789],
    ['1970-01-01T00:00:00.1234567899Z', 123_456, 789],
    ['1970-01-01T00:30:00-00:30', 3600e6, 0],
    ['1970-01-01T01:30:00+01:15', 900e6, 0],
    ['1970-01-01T01:00:00+0030', 1800e6, 0],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000, 0],
  ])('%s', (text, micros, nanos) => {
    expect(readMoment(text)).toEqual({ micros, nanos })
    expect([microsOf(text, 'x'), nanosOf(text)]).toEqual([micros, nanos])
  })

  it.each([
    '',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00',
    '1970-01-01',
    'x1970-01-01T00:00:00Z',
  ])('%s is another text', (text) => {
    expect(readMoment(text)).toBeNull()
    expect(() => microsOf(text, 'here')).toThrow('here: a date is expected')
    expect([nanosOf(text), nanosOf(5)]).toEqual([0, 0])
  })

  it('may be missing', () => {
    expect([microsOrNull(null, 'x'), microsOrNull(undefined, 'x')]).toEqual([null, null])
    expect(microsOrNull('1970-01-01T00:00:01Z', 'x')).toBe(1e6)
  })

  it('names a dump', () => {
    expect(
      ['20240808-090113348', '20240808-09011334', 'a20240808-090113348'].map(isDumpUid),
    ).toEqual([true, false, false])
  })
})

function filesOf(contents: { readonly [path: string]: string | Uint8Array }): DumpFiles {
  const fs = new FakeDisk().mount()
  fs.makeDirectory('d')
  const sizes = new Map<string, number>()
  for (const [path, content] of Object.entries(contents)) {
    const bytes = Buffer.from(content)
    const file = fs.open(`d/${path.replaceAll('/', '-')}`, 'create')
    file.write(0, bytes)
    file.close()
    sizes.set(path, bytes.length)
  }
  return { fs, folder: 'd', sizes }
}

describe('a file', () => {
  const linesIn = async (content: string | Uint8Array) => {
    const found: unknown[] = []
    for await (const { value, place } of linesOf(filesOf({ a: content }), 'a')) {
      found.push([value, place])
    }
    return found
  }

  it('has one value a line; empty lines count for places only', async () => {
    expect(await linesIn('1\n\n {"a":2} \n[]')).toEqual([
      [1, '`a`, line 1'],
      [{ a: 2 }, '`a`, line 3'],
      [[], '`a`, line 4'],
    ])
    expect(await linesIn('')).toEqual([])
  })

  it('of any length is split at ends of lines', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const all = lengths.map((length, i) => `${i}${'x'.repeat(length)}`)
        const found = await linesIn(all.map((one) => JSON.stringify(one)).join('\n'))
        expect(found.map((one) => (one as unknown[])[0])).toEqual(all)
      }),
      { numRuns: 20 },
    )
  })

  it('that is damaged is refused with its line', async () => {
    await expect(linesIn('1\n{')).rejects.toThrow('`a`, line 2')
    const wrong = Buffer.concat([Buffer.from('1\n"'), Buffer.of(0xff), Buffer.from('"')])
    await expect(linesIn(wrong)).rejects.toThrow('`a`, line 2: it is not UTF-8')
  })

  it('is refused if one of its lines is too long', async () => {
    const lengths = async (content: string) => {
      const found: number[] = []
      for await (const { value } of linesOf(filesOf({ a: content }), 'a', 100_000)) {
        found.push(JSON.stringify(value).length)
      }
      return found
    }
    const line = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`
    expect(await lengths(`1\n${line(100_000)}`)).toEqual([1, 100_000])
    await expect(lengths(`1\n${line(100_001)}`)).rejects.toThrow(
      new DumpError('Corrupted dump: `a`: a line is too long.'),
    )
  })

  it('that is small is read at once, or missing', () => {
    const files = filesOf({ a: '{"b":1}', x: '{' })
    expect([smallFile(files, 'a'), smallFile(files, 'b')]).toEqual(['{"b":1}', null])
    expect([smallValue(files, 'a'), smallValue(files, 'b')]).toEqual([{ b: 1 }, undefined])
    expect(() => smallValue(files, 'x')).toThrow('`x`')
  })

  it('is listed by its folder', () => {
    const files = filesOf({ 'i/b/1': '', 'i/b/2': '', 'i/a': '', 'ii/c': '', i: '' })
    expect(namesIn(files, 'i')).toEqual(['a', 'b'])
  })
})

describe('a batch', () => {
  const read = (stats: object, more: object = {}) =>
    readBatchLine(TASK_KINDS, { uid: 1, startedAt: '1970-01-01T00:00:01Z', stats, ...more }, 'x')

  it.each([
    ['8.38ms', 8.38],
    ['1.5s', 1500],
    ['2.00µs', 0.002],
    ['2.00μs', 0.002],
    ['70ns', 7e-5],
    ['3 ms', 3],
    ['4h', 0],
    ['1.2.3ms', 0],
    ['soon', 0],
  ])('has steps of %s', (text, millis) => {
    expect(read({ progressTrace: { step: text } }).stats.progressTrace['step']).toBeCloseTo(
      millis,
      9,
    )
  })

  it.each([
    ['16 KiB (+4 KiB)', [16_384, 4096]],
    ['1.5 MiB (-2 B)', [1_572_864, -2]],
    ['2 GiB (+0 B)', [2_147_483_648, 0]],
    ['1 TiB (+1 PiB)', [2 ** 40, 2 ** 50]],
    ['16 KiB', [0, 0]],
    ['1.2.3 KiB (+1 KiB)', [0, 1024]],
    ['a lot (b)', [0, 0]],
  ])('has sizes of %s', (text, sizes) => {
    expect(read({ internalDatabaseSizes: { part: text } }).stats.internalDatabaseSizes).toEqual({
      part: sizes,
    })
  })

  it('counts known statuses and kinds', () => {
    const { stats } = read({
      totalNbTasks: 3,
      status: { failed: 1, lost: 2 },
      types: { export: 1, brandNew: 4 },
      indexUids: { a: 2 },
    })
    expect(stats).toMatchObject({
      totalNbTasks: 3,
      status: { failed: 1 },
      types: { export: 1 },
      indexUids: { a: 2 },
    })
    expect(stats).toMatchObject({ internalDatabaseSizes: null, embedderRequests: null })
  })

  it('has the moments, strategy and requests of its line', () => {
    const end = { finishedAt: '1970-01-01T00:00:02.0000015Z', stopReason: 'full' }
    const embedderStats = { total: 2, failed: 1 }
    expect(read({}, { ...end, embedderStats })).toMatchObject({
      startedAt: 1e6,
      finishedAt: 2_000_001,
      nanos: { startedAt: 0, finishedAt: 500 },
      strategy: 'full',
      stats: { embedderRequests: { total: 2, failed: 1, lastError: null } },
    })
    expect(read({})).toMatchObject({ finishedAt: 1e6, strategy: 'unspecified' })
    expect(read({}).nanos).toBeUndefined()
    const writeChannelCongestion = { attempts: 3, blocking_attempts: 1, blocking_ratio: 'x' }
    expect(read({ writeChannelCongestion }).stats.writeChannelCongestion).toEqual({
      attempts: 3,
      blocking_attempts: 1,
      blocking_ratio: 0,
    })
    expect(read({ writeChannelCongestion: 5 }).stats.writeChannelCongestion).toBeNull()
  })
})

describe('settings of version 1', () => {
  it('make filterable attributes sortable', () => {
    expect(settingsOfV1({ attributesForFaceting: ['a'] }, 'x')).toEqual({
      attributesForFaceting: ['a'],
      sortableAttributes: ['a'],
    })
    expect(
      settingsOfV1({ attributesForFaceting: ['a'], sortableAttributes: [] }, 'x'),
    ).toMatchObject({
      sortableAttributes: [],
    })
    expect([settingsOfV1(null, 'x'), settingsOfV1({ stopWords: [] }, 'x')]).toEqual([
      {},
      { stopWords: [] },
    ])
    expect(() => settingsOfV1(5, 'here')).toThrow('here')
  })

  it('change member by member', () => {
    expect(
      patchOfV1({
        ranking_rules: { Update: ['Typo', 'Words', { Asc: 'a' }, { Desc: 'b' }, 'Other', {}] },
        distinct_attribute: 'Clear',
        stop_words: 'Nothing',
        displayed_attributes: { Update: ['x'] },
        unknown: 'Clear',
      }),
    ).toMatchObject({
      rankingRules: expect.arrayContaining(['typo', 'words', 'a:asc', 'b:desc']),
      distinctAttribute: null,
      displayedAttributes: ['x'],
    })
    expect(patchOfV1(5)).toEqual({})
    expect('stopWords' in patchOfV1({ stop_words: 'Nothing' })).toBe(false)
  })
})

describe('a task of versions 4 and 5', () => {
  const at = (second: number): string => `2022-01-01T00:00:0${second}Z`
  const created = { Created: at(1) }
  const read = (content: unknown, events: readonly unknown[] = [created], more: object = {}) =>
    taskOfEvents({ id: 3, index_uid: 'a', content, events, ...more }, 'x')

  it('waits with its documents, or has ended', () => {
    const inner = {
      content_uuid: 'u',
      documents_count: 5,
      primary_key: 'k',
      merge_strategy: 'UpdateDocuments',
    }
    const content = { DocumentAddition: inner }
    const type = {
      documentImport: {
        primary_key: 'k',
        method: 'UpdateDocuments',
        documents_count: 5,
        allow_index_creation: true,
      },
    }
    const counts = (indexed: number | null) => ({
      DocumentAdditionOrUpdate: { received_documents: 5, indexed_documents: indexed },
    })
    expect(read(content)).toEqual({
      line: {
        batchUid: null,
        indexUid: 'a',
        status: 'enqueued',
        type,
        details: counts(null),
        enqueuedAt: at(1),
      },
      id: 3,
      payload: 'u',
    })
    const result = { DocumentAddition: { indexed_documents: 4 } }
    const processing = { Processing: at(2) }
    for (const tag of ['Succeded', 'Succeeded']) {
      const ended = read(content, [created, processing, { [tag]: { timestamp: at(3), result } }])!
      expect(ended.payload).toBeNull()
      expect(ended.line).toMatchObject({
        status: 'succeeded',
        details: counts(4),
        startedAt: at(2),
        finishedAt: at(3),
      })
      expect(ended.line).not.toHaveProperty('error')
    }
    const error = { code: 'c', message: 'm' }
    const failed = read(content, [created, { Failed: { timestamp: at(3), error } }])!
    expect(failed.line).toMatchObject({
      status: 'failed',
      details: counts(0),
      error,
      startedAt: at(1),
      finishedAt: at(3),
    })
    const plain = read({ DocumentAddition: {} }, [{ Succeeded: { timestamp: at(3) } }])!
    expect(plain.line).toMatchObject({
      enqueuedAt: '1970-01-01T00:00:00Z',
      type: {
        documentImport: { method: 'ReplaceDocuments', documents_count: 0, primary_key: null },
      },
    })
  })

  it.each<[unknown, unknown, unknown]>([
    [
      { DocumentDeletion: { Ids: ['1', 2] } },
      { documentDeletion: { documents_ids: ['1', '2'] } },
      { DocumentDeletion: { provided_ids: 2, deleted_documents: 7 } },
    ],
    [
      { DocumentDeletion: { index_uid: 'b', deletion: { Ids: ['1'] } } },
      { documentDeletion: { documents_ids: ['1'] } },
      { DocumentDeletion: { provided_ids: 1, deleted_documents: 7 } },
    ],
    [{ DocumentDeletion: 'Clear' }, 'documentClear', { ClearAll: { deleted_documents: 7 } }],
    [{ IndexDeletion: {} }, 'indexDeletion', { ClearAll: { deleted_documents: 7 } }],
    [
      { IndexCreation: { primary_key: 'k' } },
      { indexCreation: { primary_key: 'k' } },
      { IndexInfo: { primary_key: 'k' } },
    ],
    [
      { IndexUpdate: {} },
      { indexUpdate: { primary_key: null } },
      { IndexInfo: { primary_key: null } },
    ],
    [
      { SettingsUpdate: { settings: { stopWords: ['a'] }, is_deletion: true } },
      { settings: { settings: { stopWords: ['a'] }, is_deletion: true } },
      { SettingsUpdate: { settings: { stopWords: ['a'] } } },
    ],
    [
      { Dump: { uid: 'd' } },
      { dumpCreation: { keys: [], instance_uid: null } },
      { Dump: { dump_uid: 'd' } },
    ],
  ])('%j', (content, type, details) => {
    const result = { Any: { deleted_documents: 7 } }
    const { line } = read(content, [created, { Succeeded: { timestamp: at(2), result } }])!
    expect(line['type']).toMatchObject(type as object)
    expect(line['details']).toEqual(details)
  })

  it('names its index inside, or outside, and may have no number', () => {
    expect(read({ IndexDeletion: { index_uid: 'b' } })!.line['indexUid']).toBe('b')
    const none = read({ IndexDeletion: {} }, [created], { index_uid: null, id: '3' })!
    expect([none.line['indexUid'], none.id]).toEqual([null, null])
  })

  it('of other contents is left out; that of the dump itself has succeeded', () => {
    expect([read({ Unknown: {} }), read(null), read(5)]).toEqual([null, null, null])
    const { line } = read({ Dump: { uid: 'd' } }, [created, { Processing: at(2) }])!
    expect(line).toMatchObject({ status: 'succeeded', startedAt: at(2), finishedAt: at(2) })
    expect(read({ Dump: {} })!.line).toMatchObject({ startedAt: at(1), finishedAt: at(1) })
  })
})

describe('an update of versions 2 and 3', () => {
  const uid = asIndexUid('a')
  const uuid = '01234567-89ab-cdef-0123-456789abcdef'

  it('is read from its statuses', () => {
    const meta = { type: 'DocumentsAddition', method: 'UpdateDocuments', primaryKey: 'k' }
    const from = { status: 'enqueued', enqueuedAt: 'e', content: `x/${uuid}`, meta }
    expect(taskOfUpdate(from, uid)).toMatchObject({
      payload: uuid,
      id: null,
      line: { indexUid: 'a', status: 'enqueued', enqueuedAt: 'e' },
    })
    const success = { DocumentsAddition: { nb_documents: 6 } }
    const processed = { status: 'processed', processedAt: 'p', success, from }
    expect(taskOfUpdate(processed, uid)).toMatchObject({
      payload: null,
      line: {
        status: 'succeeded',
        startedAt: 'e',
        finishedAt: 'p',
        details: { DocumentAdditionOrUpdate: { indexed_documents: 6 } },
      },
    })
    const failed = { status: 'failed', failedAt: 'f', error: 'words', from }
    expect(taskOfUpdate(failed, uid)!.line).toMatchObject({
      status: 'failed',
      finishedAt: 'f',
      error: { code: 'internal', message: 'words' },
    })
    const errorCode = {
      ...failed,
      failedAt: undefined,
      processedAt: 'p',
      error: { errorCode: 'c' },
    }
    expect(taskOfUpdate(errorCode, uid)!.line).toMatchObject({
      finishedAt: 'p',
      error: { code: 'c', message: 'The task failed.' },
    })
    const processing = { status: 'processing', startedProcessingAt: 's', from }
    expect(taskOfUpdate(processing, uid)!.line).toMatchObject({ status: 'enqueued' })
    expect([taskOfUpdate({ status: 'lost', meta }, uid), taskOfUpdate(5, uid)]).toEqual([
      null,
      null,
    ])
  })

  it.each<[unknown, unknown]>([
    [{ type: 'ClearDocuments' }, 'documentClear'],
    ['ClearDocuments', 'documentClear'],
    [{ DeleteDocuments: ['1'] }, { documentDeletion: { documents_ids: ['1'] } }],
    [{ type: 'DeleteDocuments', ids: ['1'] }, { documentDeletion: { documents_ids: ['1'] } }],
    [{ DocumentAddition: {} }, { documentImport: { method: 'ReplaceDocuments' } }],
    [
      { type: 'Settings', stopWords: ['a'] },
      {
        settings: {
          settings: { stopWords: ['a'] },
          is_deletion: false,
          allow_index_creation: true,
        },
      },
    ],
  ])('%j', (meta, type) => {
    const { line } = taskOfUpdate({ status: 'enqueued', enqueuedAt: 'e', meta }, uid)!
    if (typeof type === 'string') expect(line['type']).toBe(type)
    else expect(line['type']).toMatchObject(type as object)
    expect(taskOfUpdate({ status: 'enqueued', meta: { type: 'Other' } }, uid)).toBeNull()
  })
})

test('an update of version 1', () => {
  const read = (value: unknown) => taskOfV1(value, asIndexUid('a'))
  const end = { enqueuedAt: 'e', processedAt: '1970-01-01T00:00:05Z', duration: 1.5 }
  const of = (type: unknown, status = 'processed') => read({ status, type, ...end })?.line
  expect(of({ name: 'DocumentsAddition', number: 3 })).toMatchObject({
    indexUid: 'a',
    status: 'succeeded',
    startedAt: '1970-01-01T00:00:03.5Z',
    finishedAt: '1970-01-01T00:00:05Z',
    type: { documentImport: { method: 'ReplaceDocuments', documents_count: 3 } },
    details: { DocumentAdditionOrUpdate: { received_documents: 3, indexed_documents: 3 } },
  })
  expect(of({ name: 'DocumentsPartial' })).toMatchObject({
    type: { documentImport: { method: 'UpdateDocuments', documents_count: 0 } },
  })
  expect(of('ClearAll')).toMatchObject({ type: 'documentClear' })
  expect(of({ name: 'DocumentsDeletion', number: 2 })).toMatchObject({
    details: { DocumentDeletion: { provided_ids: 2, deleted_documents: 2 } },
  })
  expect(of({ name: 'Settings', settings: { stop_words: 'Clear' } })).toMatchObject({
    type: { settings: { settings: { stopWords: null }, is_deletion: false } },
  })
  const failed = read({ ...end, status: 'failed', type: 'ClearAll', error: 'm', errorCode: 'c' })
  expect(failed!.line).toMatchObject({ status: 'failed', error: { code: 'c', message: 'm' } })
  expect([of('ClearAll', 'enqueued'), of('Other'), read(5)]).toEqual([undefined, undefined, null])
  for (const duration of [-1, 'x', 1e9]) {
    const { line } = read({ ...end, duration, status: 'processed', type: 'ClearAll' })!
    expect(line).toMatchObject({ startedAt: 'e' })
  }
})

test('sets of tasks of other forms', () => {
  const u16 = (...all: readonly number[]) => all.flatMap((one) => [one & 255, one >>> 8])
  const runs = (...heads: readonly number[]) => [
    ...u16(12347, 0),
    1,
    ...u16(0, 2),
    ...u16(...heads),
  ]
  const ids = (bytes: readonly number[]) => [...setOfRoaringBytes(bytes, 'x').toArray()]
  expect(ids(runs(2, 1, 1, 9, 0))).toEqual([1, 2, 9])
  expect(ids(runs(1, 65_534, 1))).toEqual([65_534, 65_535])
  for (const [bytes, words] of [
    [runs(1, 65_535, 1), 'a run of tasks is too long'],
    [runs(2, 1, 1, 2, 0), 'out of order'],
    [[1, 2, 3, 4], 'a set of tasks is expected'],
    [[...u16(12346, 0, 1, 1)], 'too many parts'],
  ] as const) {
    expect(() => setOfRoaringBytes(bytes, 'x')).toThrow(words)
  }
})

test('a set of tasks has at most four million', () => {
  const u16 = (value: number) => [value & 255, value >>> 8]
  /** All ids below `count`, each container as one run. */
  const below = (count: number): number[] => {
    const sizes = Array.from({ length: Math.ceil(count / 0x10000) }, (_, key) =>
      Math.min(0x10000, count - key * 0x10000),
    )
    return [
      ...[...u16(12347), ...u16(sizes.length - 1)],
      ...Array(Math.ceil(sizes.length / 8)).fill(0xff),
      ...sizes.flatMap((size, key) => [...u16(key), ...u16(size - 1)]),
      ...Array(4 * sizes.length).fill(0),
      ...sizes.flatMap((size) => [...u16(1), ...u16(0), ...u16(size - 1)]),
    ]
  }
  expect(setOfRoaringBytes(below(4_000_000), 'x').size).toBe(4_000_000)
  expect(() => setOfRoaringBytes(below(4_000_001), 'x')).toThrow(
    new DumpError('Corrupted dump: x: a set of tasks is too large.'),
  )
})
