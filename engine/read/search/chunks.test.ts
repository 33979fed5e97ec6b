// Digests and exports in chunks: together they are those of the whole index, with any segments.
import { describe, expect, it } from 'vitest'
import { Rendezvous } from '../../network/records/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import {
  type Document,
  deletionOf,
  importOf,
  SmallIndex,
} from '../../write/indexer/test-support.ts'
import { type DigestChunk, type ExportChunk, SearchableView, SearchControl } from '../jobs/index.ts'
import { SegmentCache } from '../segments/index.ts'
import { addHash, type DigestAnswer, runDigest } from './run-digest.ts'
import { runExport } from './run-export.ts'

const EMBEDDERS = { embedders: { e: { source: 'userProvided', dimensions: 2 } } } as const
const DOCUMENTS = Array.from({ length: 30 }, (_, id): Document => ({ id, t: `text ${id * id}` }))

async function viewOf(
  batches: readonly (readonly Document[])[],
  patch: Parameters<typeof applyPatch>[1] = {},
  deleted: readonly string[] = [],
): Promise<SearchableView> {
  const index = new SmallIndex(applyPatch(defaultSettings(), patch).settings)
  for (const batch of batches) await index.run([importOf(batch, { primaryKey: 'id' })])
  if (deleted.length > 0) await index.run([deletionOf('ids', deleted)])
  return new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), null)
}

const control = () => new SearchControl(Number.POSITIVE_INFINITY, () => false)

/** Returns the groups of all chunks together, by shard and next shard. */
function digestOf(view: SearchableView, chunk: Partial<DigestChunk> = {}) {
  const all = new Map<string, { count: number; bytes: number; high: number; low: number }>()
  let chunks = 0
  for (let after: number | null = -1; after !== null; chunks++) {
    const asked = { names: [], next: null, documentsMax: 1000, ...chunk, after }
    const answer: DigestAnswer = JSON.parse(
      Buffer.from(runDigest(view, asked, control())).toString(),
    )
    for (const [shard, next, count, bytes, high, low] of answer.groups) {
      const group = all.get(`${shard} ${next}`) ?? { count: 0, bytes: 0, high: 0, low: 0 }
      addHash(group, { high, low })
      group.count += count
      group.bytes += bytes
      all.set(`${shard} ${next}`, group)
    }
    after = answer.last
  }
  return { groups: Object.fromEntries(all), chunks }
}

describe('a digest', () => {
  it('adds hashes modulo 2 ** 64', () => {
    const sums = [
      [0, 1, 0, 0xffffffff, 1, 0],
      [0xffffffff, 0xffffffff, 0, 1, 0, 0],
      [1, 2, 3, 4, 4, 6],
    ] as const
    for (const [high, low, more, further, expectedHigh, expectedLow] of sums) {
      const sum = { high, low }
      addHash(sum, { high: more, low: further })
      expect(sum).toEqual({ high: expectedHigh, low: expectedLow })
    }
  })

  it('is the same for any order, segments and chunks', async () => {
    const whole = digestOf(await viewOf([DOCUMENTS]))
    const group = whole.groups['-1 -1']!
    expect([Object.keys(whole.groups).length, group.count, whole.chunks]).toEqual([1, 30, 1])
    const parts = [
      DOCUMENTS.slice(20),
      DOCUMENTS.slice(0, 12),
      DOCUMENTS.slice(12, 20).toReversed(),
    ]
    const view = await viewOf([...parts, [{ id: 99, t: 'x' }]], {}, ['99'])
    for (const documentsMax of [1, 7, 30, 1000]) {
      const { groups, chunks } = digestOf(view, { documentsMax })
      expect(groups).toEqual(whole.groups)
      expect(chunks).toBe(Math.max(1, Math.ceil(30 / documentsMax)))
    }
  })

  it('is divided by shards, now and later', async () => {
    const view = await viewOf([DOCUMENTS])
    const [names, next] = [
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]
    const { groups } = digestOf(view, { names, next, documentsMax: 7 })
    const expected: Record<string, number> = {}
    for (const { id } of DOCUMENTS) {
      const bytes = Buffer.from(String(id))
      const key = `${new Rendezvous(names).winner(bytes)} ${new Rendezvous(next).winner(bytes)}`
      expected[key] = (expected[key] ?? 0) + 1
    }
    const counts = Object.entries(groups).map(([key, { count }]) => [key, count])
    expect(Object.fromEntries(counts)).toEqual(expected)
    const sum = { high: 0, low: 0 }
    for (const group of Object.values(groups)) addHash(sum, group)
    expect(digestOf(view).groups['-1 -1']).toMatchObject(sum)
  })

  const vectors = (e: unknown) => [{ id: 1, _vectors: { e } }] as readonly Document[]
  it.each<[string, readonly Document[], readonly Document[], boolean]>([
    ['the order of fields', [{ id: 1, a: 1, b: 2 }], [{ b: 2, a: 1, id: 1 }], true],
    ['a value', [{ id: 1, a: 1 }], [{ id: 1, a: 2 }], false],
    ['a name', [{ id: 1, a: 1 }], [{ id: 1, b: 1 }], false],
    ['an id', [{ id: 1 }], [{ id: 2 }], false],
    ['a field more', [{ id: 1 }], [{ id: 1, a: null }], false],
    ['values that change their fields', [{ id: 1, a: 1, b: 2 }], [{ id: 1, a: 2, b: 1 }], false],
    [
      'values that change their documents',
      [
        { id: 1, a: 1 },
        { id: 2, a: 2 },
      ],
      [
        { id: 1, a: 2 },
        { id: 2, a: 1 },
      ],
      false,
    ],
    [
      'a long text',
      [{ id: 1, a: 'x'.repeat(9000) }],
      [{ id: 1, a: `${'x'.repeat(8999)}y` }],
      false,
    ],
    ['own vectors', vectors([1, 0]), vectors([0, 1]), false],
    [
      'their number',
      vectors([[1, 0]]),
      vectors([
        [1, 0],
        [1, 0],
      ]),
      false,
    ],
    [
      'computed vectors',
      vectors({ regenerate: true, embeddings: [1, 0] }),
      vectors({ regenerate: true, embeddings: [0, 1] }),
      true,
    ],
  ])('after a change of %s', async (what, before, after, same) => {
    const patch = /vectors|number/.test(what) ? EMBEDDERS : {}
    const hashOf = async (documents: readonly Document[]) => {
      const { high, low } = digestOf(await viewOf([documents], patch)).groups['-1 -1']!
      return `${high} ${low}`
    }
    expect((await hashOf(before)) === (await hashOf(after))).toBe(same)
  })
})

type Line = { readonly id: number; readonly _vectors?: object }

function exportOf(view: SearchableView, chunk: Partial<ExportChunk> = {}) {
  const heads: { total: number; documents: number; last: number | null }[] = []
  const documents: Line[] = []
  for (let after: number | null = -1; after !== null; after = heads.at(-1)!.last) {
    const asked = { filter: null, bytesMax: 1 << 20, fragments: null, ...chunk, after }
    const bytes = runExport(view, asked, {} as never, control())
    const [head, ...lines] = Buffer.from(bytes).toString().trimEnd().split('\n')
    heads.push(JSON.parse(head!))
    documents.push(...lines.map((line) => JSON.parse(line)))
    expect(heads.at(-1)!.documents).toBe(lines.length)
  }
  return { heads, documents }
}
const ids = (documents: readonly Line[]) => documents.map(({ id }) => id)

describe('an export', () => {
  it('has all documents as stored, in chunks up to a size', async () => {
    const view = await viewOf([DOCUMENTS.slice(0, 11), DOCUMENTS.slice(11)])
    const line = Buffer.byteLength(JSON.stringify(DOCUMENTS[15])) + 1
    for (const [bytesMax, most] of [
      [1, 1],
      [2 * line, 2],
      [3 * line - 1, 3],
      [1 << 20, 30],
    ] as const) {
      const { documents, heads } = exportOf(view, { bytesMax })
      expect(documents).toEqual(DOCUMENTS)
      expect(heads.every(({ total }) => total === 30)).toBe(true)
      expect(Math.max(...heads.map((head) => head.documents))).toBe(most)
    }
  })

  it('has those that pass a filter, without deleted ones', async () => {
    const view = await viewOf([DOCUMENTS], { filterableAttributes: ['id'] }, ['3'])
    const { documents, heads } = exportOf(view, { filter: 'id < 5', bytesMax: 1 })
    expect([ids(documents), heads[0]!.total]).toEqual([[0, 1, 2, 4], 4])
    expect(exportOf(view, { filter: 'id > 99' })).toEqual({
      heads: [{ total: 0, documents: 0, last: null }],
      documents: [],
    })
  })

  it('has those that move to another instance, whether searches use its shards or not', async () => {
    const names = ['a', 'b', 'c']
    const shardOf = (id: number) => names[new Rendezvous(names).winner(Buffer.from(String(id)))]
    const of = (...held: boolean[]) => ({ names, held })
    for (const shards of [null, names]) {
      const view = await viewOf([DOCUMENTS])
      view.shards = shards
      const to = exportOf(view, { transfer: { from: null, to: of(true, false, true) } })
      expect(ids(to.documents)).toEqual(ids(DOCUMENTS as never).filter((id) => shardOf(id) !== 'b'))
      const both = exportOf(view, {
        transfer: { from: of(true, true, false), to: of(false, true, true) },
      })
      expect(ids(both.documents)).toEqual(
        ids(DOCUMENTS as never).filter((id) => shardOf(id) === 'b'),
      )
    }
  })

  it('has vectors, and stored members beside them', async () => {
    const documents = [
      {
        id: 1,
        _vectors: {
          e: [
            [1, 0],
            [0, 0.5],
          ],
          other: [7],
        },
      },
      { id: 2, _vectors: { e: null } },
      { id: 3, t: 'x', _vectors: { e: { regenerate: true, embeddings: [1, 1] } } },
    ]
    const view = await viewOf([documents as never], EMBEDDERS)
    expect(exportOf(view).documents).toEqual([
      {
        id: 1,
        _vectors: {
          other: [7],
          e: {
            regenerate: false,
            embeddings: [
              [1, 0],
              [0, 0.5],
            ],
          },
        },
      },
      { id: 2, _vectors: { e: { regenerate: false, embeddings: [] } } },
      { id: 3, t: 'x', _vectors: { e: { regenerate: true, embeddings: [[1, 1]] } } },
    ])
  })
})
