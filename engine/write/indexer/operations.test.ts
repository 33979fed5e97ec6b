// Operations on documents that a batch has to find, faults of single operations, bodies in files,
// progress, and threads of the memory limit.
import { describe, expect, it, vi } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import { Holdings } from '../../network/records/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { chunkBytesOf, threadsAtOnce } from './chunk-size.ts'
import { readDeletedIds } from './deleted-ids.ts'
import { bodyPath } from './jobs.ts'
import type { DocumentOperation } from './protocol.ts'
import { type Document, deletionOf, importOf, NO_HOOKS, SmallIndex } from './test-support.ts'

const { settings: SETTINGS } = applyPatch(defaultSettings(), {
  filterableAttributes: ['year', 'until'],
  expiresAtAttribute: 'until',
})

async function indexWith(documents: readonly Document[], settings = SETTINGS): Promise<SmallIndex> {
  const index = new SmallIndex(settings)
  await index.run([importOf(documents, { primaryKey: 'id' })])
  return index
}

const idsOf = (index: SmallIndex): unknown[] => [...index.documents().values()].map(({ id }) => id)

/** Runs one operation; returns its outcome. */
async function run(index: SmallIndex, operation: DocumentOperation) {
  const { outcomes } = await index.run([operation])
  return outcomes[0]!
}

const edition = (script: string, filter: unknown = null, more: object = {}): DocumentOperation =>
  ({
    kind: 'documentEdition',
    filter,
    context: null,
    function: script,
    ...more,
  }) as DocumentOperation

const GATES = { contains: false, vectors: false, shards: null }
const YEARS = [1999, 2000, 2001].map((year, i) => ({ id: i + 1, year }))

describe('a deletion', () => {
  it('by ids counts existing documents once', async () => {
    const index = await indexWith(YEARS)
    expect(await run(index, deletionOf('ids', ['2', '2', '9']))).toEqual({
      fault: null,
      documents: 1,
    })
    expect(idsOf(index)).toEqual([1, 3])
  })

  it.each([
    ['year > 1999', 2, [1]],
    ['year = 5', 0, [1, 2, 3]],
  ])('by the filter %s counts what it finds', async (filter, documents, left) => {
    const index = await indexWith(YEARS)
    expect(await run(index, deletionOf('filter', filter))).toEqual({ fault: null, documents })
    expect(idsOf(index)).toEqual(left)
  })

  it('by an invalid filter fails alone', async () => {
    const index = await indexWith(YEARS)
    const operations = [deletionOf('filter', 'secret = 1'), deletionOf('ids', ['1'])]
    const { outcomes } = await index.run(operations)
    expect(outcomes).toEqual([
      {
        fault: {
          code: 'invalid_document_filter',
          message: expect.stringMatching(/^Index `movies`: Attribute `secret` is not filterable/),
        },
        documents: 0,
      },
      { fault: null, documents: 1 },
    ])
    expect(idsOf(index)).toEqual([2, 3])
  })

  it.each([
    ['name CONTAINS irc', GATES, 'feature_not_enabled'],
    ['name CONTAINS irc', { ...GATES, contains: true }, 2],
    ['_vectors EXISTS', GATES, 'feature_not_enabled'],
    ['_vectors EXISTS', { ...GATES, vectors: true }, 0],
    ['_shard = a', GATES, 'feature_not_enabled'],
    ['_shard = a OR _shard = b', { ...GATES, shards: ['a', 'b'] }, 3],
    ['_shard = c', { ...GATES, shards: ['a', 'b'] }, 'invalid_document_filter'],
    ['name = "BIRCH"', GATES, 1],
    ['nothing = 1', GATES, 0],
  ])('by the filter %s with the features %j finds %s', async (filter, gates, found) => {
    const settings = applyPatch(SETTINGS, { filterableAttributes: ['name', 'nothing'] }).settings
    const documents = ['birch', 'circle', 'cedar'].map((name, id) => ({ id, name }))
    const index = await indexWith(documents, settings)
    const operations = [deletionOf('filter', filter)]
    const request = { view: index.ref, operations, chunkBytesMax: 1 << 20, gates }
    const { outcomes } = await index.indexing.run({ kind: 'documents', ...request }, NO_HOOKS)
    const [{ fault, documents: count } = expect.unreachable()] = outcomes
    expect(fault?.code ?? count).toBe(found)
  })

  it('by a filter that takes longer than a minute fails alone', async () => {
    const index = await indexWith(YEARS)
    for (const [stepMs, code] of [
      [1, undefined],
      [60_000, 'invalid_document_filter'],
    ] as const) {
      let now = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs))
      const { fault } = await run(index, deletionOf('filter', 'year = 1999'))
      clock.mockRestore()
      expect(fault?.code).toBe(code)
    }
  })

  it('of expired documents needs the attribute', async () => {
    const documents = [1, 5, 9].map((until) => ({ id: until, until }))
    const at = { kind: 'deletionOfExpired', at: 6000 } as const
    const index = await indexWith(documents)
    expect(await run(index, at)).toEqual({ fault: null, documents: 2 })
    expect(idsOf(index)).toEqual([9])
    const without = applyPatch(SETTINGS, { expiresAtAttribute: null } as never).settings
    expect(await run(await indexWith(documents, without), at)).toMatchObject({ documents: 0 })
    expect(await run(await indexWith(YEARS), at)).toMatchObject({ documents: 0 })
  })

  it('of documents that other instances hold, and imports without them', async () => {
    const shards = { names: ['a', 'b'], held: [true, false] }
    const holdings = new Holdings(shards)
    const documents = Array.from({ length: 20 }, (_, id) => ({ id }))
    const held = documents.filter(({ id }) => holdings.holds(Buffer.from(String(id))))
    expect(held.length).toBeGreaterThan(2)
    const index = await indexWith(documents)
    const { documents: deleted } = await run(index, { kind: 'deletionOfOthers', shards })
    expect(deleted).toBe(20 - held.length)
    expect(idsOf(index)).toEqual(held.map(({ id }) => id))

    const fresh = new SmallIndex(SETTINGS)
    const rest = { view: fresh.ref, chunkBytesMax: 1 << 20, shards } as const
    const operations = [importOf(documents, { primaryKey: 'id' })]
    const result = await fresh.indexing.run({ kind: 'documents', operations, ...rest }, NO_HOOKS)
    expect(result.added).toBe(held.length)
    expect(result.outcomes[0]).toEqual({ fault: null, documents: held.length })
  })
})

describe('an edition', () => {
  it('edits all documents, or those of its filter', async () => {
    const index = await indexWith(YEARS)
    expect(await run(index, edition('doc.n = 1', 'year = 2000'))).toMatchObject({ documents: 1 })
    expect(await run(index, edition('if doc.id == 3 { doc = () }'))).toMatchObject({ documents: 3 })
    expect([...index.documents().values()]).toEqual([
      { id: 1, year: 1999 },
      { id: 2, year: 2000, n: 1 },
    ])
    const { fault } = await run(index, edition('doc.n = 2', 'secret = 1'))
    expect(fault).toMatchObject({ code: 'invalid_document_filter' })
    expect([...index.documents().values()][0]).toEqual({ id: 1, year: 1999 })
  })

  it('reads its context as text, or as a value', async () => {
    const index = await indexWith([{ id: 1 }])
    await index.run([edition('doc.n = context.a', null, { context: { a: 5 } })])
    await index.run([
      edition('doc.m = context.a', null, { context: { a: 5 }, contextText: '{"a":2.0}' }),
    ])
    expect(index.documents().get(0)).toEqual({ id: 1, n: 5, m: 2 })
  })
})

describe('an import', () => {
  it('without documents sets the requested key', async () => {
    const index = new SmallIndex(SETTINGS)
    const { outcomes, primaryKey } = await index.run([importOf([], { primaryKey: 'sku' })])
    expect([outcomes, primaryKey]).toEqual([[{ fault: null, documents: 0 }], 'sku'])
  })

  it('with another key than that of the index fails alone', async () => {
    const index = await indexWith(YEARS)
    const other = importOf([{ id: 7, sku: 1 }], { primaryKey: 'sku' })
    const { outcomes } = await index.run([other, importOf([{ id: 8 }], { primaryKey: 'id' })])
    expect(outcomes).toEqual([
      {
        fault: {
          code: 'index_primary_key_already_exists',
          message: 'Index already has a primary key: `id`.',
        },
        documents: 0,
      },
      { fault: null, documents: 1 },
    ])
    expect(idsOf(index)).toEqual([1, 2, 3, 8])
  })

  it('that infers its key gives names the order of the first document', async () => {
    const index = new SmallIndex(SETTINGS)
    await index.run([importOf([{ b: 1, id: 1, a: 1 }])])
    expect(index.state.fields.slice(0, 3)).toEqual(['b', 'id', 'a'])
    const requested = new SmallIndex(SETTINGS)
    await requested.run([importOf([{ b: 1, id: 1, a: 1 }], { primaryKey: 'id' })])
    expect(requested.state.fields[0]).toBe('id')
    // Names of an import that fails do not count.
    const failed = new SmallIndex(SETTINGS)
    const bad = importOf([{ z: 1, id: 'no/id' }])
    await failed.run([bad, importOf([{ b: 1, id: 1 }])])
    expect(failed.state.fields.slice(0, 2)).toEqual(['b', 'id'])
    expect(failed.state.fields).not.toContain('z')
  })

  it('reads a body from its file', async () => {
    const index = new SmallIndex(SETTINGS)
    const transfer = index.indexing.body(7, { kind: 'json' })
    await transfer.write(Buffer.from('[{"id":1},{"i'))
    await transfer.write(Buffer.from('d":2}]'))
    const { documents, bytes } = await transfer.finish()
    expect([documents, index.fs.list('tasks/bodies')]).toEqual([2, ['000007.body']])
    expect(index.fs.size(bodyPath(7))).toBeGreaterThan(bytes)
    expect(bytes).toBe(Buffer.byteLength('{"id":1}{"id":2}'))
    const body = { file: 7, inline: null, bytes, documents }
    await index.run([importOf([], { body })])
    expect(idsOf(index)).toEqual([1, 2])
    const second = index.indexing.body(8, { kind: 'json' })
    await second.write(Buffer.from('[{"id":3}'))
    second.abort()
    expect(index.fs.list('tasks/bodies')).toEqual(['000007.body'])
  })
})

it('a document that changes in stored fields only stays in its other segments', async () => {
  const settings = applyPatch(SETTINGS, { searchableAttributes: ['year'] }).settings
  const index = await indexWith(YEARS, settings)
  const columns = () => index.view.layer(columnsLayer).map(({ dead }) => dead.size)
  await index.run([importOf([{ id: 1, year: 1999, note: 'x' }])])
  expect(columns()).toEqual([0])
  await index.run([importOf([{ id: 1, year: 2005, note: 'x' }])])
  expect(columns()).toEqual([1, 0])
})

it.each([
  [1, 3],
  [1 << 20, 1],
])('a rebuild with chunks of %i bytes makes %i segments of a layer', async (chunkBytes, count) => {
  const documents = YEARS.map((one) => ({ ...one, maker: { name: 'oak' } }))
  const index = await indexWith(
    documents,
    applyPatch(SETTINGS, { searchableAttributes: [] }).settings,
  )
  expect(index.state.fields).not.toContain('maker.name')
  const { settings } = applyPatch(SETTINGS, { filterableAttributes: ['maker.name'] })
  await index.rebuild(settings, chunkBytes)
  expect(index.view.layer(columnsLayer)).toHaveLength(count)
  const field = index.state.fields.indexOf('maker.name')
  const found = index.view.layer(columnsLayer).flatMap(({ reader }) => {
    return [...(reader.field(field)?.stringHolders().toArray() ?? [])]
  })
  expect(found).toEqual([0, 1, 2])
})

it('a job reports its work in documents, and stops when it is canceled', async () => {
  const index = new SmallIndex(SETTINGS)
  const documents = Array.from({ length: 600 }, (_, id) => ({ id }))
  const request = {
    kind: 'documents',
    view: index.ref,
    operations: [importOf(documents, { primaryKey: 'id' })],
    chunkBytesMax: 1 << 20,
  } as const
  const signal = AbortSignal.abort()
  const canceled = index.indexing.run(request, { signal, progress: () => undefined })
  await expect(canceled).rejects.toMatchObject({ name: 'Canceled' })
  expect(index.fs.list('segments')).toEqual([])
})

describe('memory', () => {
  it.each([
    [0, MiB],
    [16 * MiB, MiB],
    [160 * MiB, 10 * MiB],
    [160 * MiB + 15, 10 * MiB],
    [1e12, 32 * MiB],
  ])('of %d bytes allows chunks of %d bytes', (memory, chunk) => {
    expect(chunkBytesOf(memory)).toBe(chunk)
  })

  it.each([
    [MiB, MiB, 1],
    [31 * MiB, MiB, 1],
    [32 * MiB, MiB, 2],
    [64 * MiB, 2 * MiB, 2],
  ])('of %d bytes allows chunks of %d bytes in %d threads', (memory, chunk, threads) => {
    expect(threadsAtOnce(memory, chunk)).toBe(threads)
  })
})

it('deleted ids are texts, as many as the task says', () => {
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
  expect(readDeletedIds(json(['a', 'b']), 2)).toEqual(['a', 'b'])
  for (const [value, count] of [
    [{ length: 0 }, 0],
    [['a', 1], 2],
    [['a'], 2],
    [['a', 'b', 'c'], 2],
  ] as const) {
    expect(() => readDeletedIds(json(value), count)).toThrow(CorruptionError)
  }
})
