// The steps by which an instance asks others about documents that foreign keys name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { ForeignRequest, Hydration } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { runHydration } from './run-foreign.ts'
import type { MergedIndex } from './run-instances.ts'

const BOOKS = asIndexUid('books')
const AUTHORS = asIndexUid('authors')
const CITIES = asIndexUid('cities')
const KEYS = [
  { fieldName: 'author', foreignIndexUid: AUTHORS },
  { fieldName: 'author', foreignIndexUid: CITIES },
  { fieldName: 'town.id', foreignIndexUid: CITIES },
]

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await engine.administration.setFeatures({ foreignKeys: true } as never)
  const change = (uid: string, patch: object) => changeSettings(engine, uid, patch)
  await change('books', { foreignKeys: KEYS, filterableAttributes: ['author', 'size', 'town.id'] })
  await change('authors', { filterableAttributes: ['age'], displayedAttributes: ['id', 'name'] })
  const authors = ['Ann', 'Ben', 'Cy', 'Di'].map((name, id) => ({ id, name, age: 20 + id }))
  await addDocuments(engine, 'books', [{ id: 1, author: 0, size: 5 }])
  await addDocuments(engine, 'authors', authors)
  await engine.idle()
})
afterAll(() => engine.close())

async function step(uid: typeof BOOKS, request: ForeignRequest) {
  const bytes = await engine.queries.foreign(uid, request, {
    requestUid: 'r',
    queryUid: null,
    features: engine.administration.features,
    signal: new AbortController().signal,
  })
  return JSON.parse(Buffer.from(bytes).toString())
}

describe('the step', () => {
  const filter = [
    '_foreign(author, age > 30 AND NOT name = x) OR size = 5',
    '_foreign(town.id, a = 1)',
  ]
  it('`conditions` lists the conditions of a filter, each with all indexes of its field', async () => {
    expect(await step(BOOKS, { step: 'conditions', endpoint: 'search', filter })).toEqual({
      conditions: [
        { condition: '("age" > "30") AND (NOT ("name" = "x"))', uids: ['authors', 'cities'] },
        { condition: '"a" = "1"', uids: ['cities'] },
      ],
    })
    const none = { step: 'conditions', endpoint: 'search', filter: null } as const
    expect(await step(BOOKS, none)).toEqual({ conditions: [], filter: null })
  })

  it('`filter` puts ids into their places', async () => {
    const ids = [['1', 'a"'], []]
    expect(await step(BOOKS, { step: 'filter', endpoint: 'documents', filter, ids })).toEqual({
      filter: '(("author" IN ["1", "a\\""]) OR ("size" = "5")) AND ("town.id" IN [])',
    })
    const fewer = { step: 'filter', endpoint: 'search', filter, ids: [] } as const
    expect((await step(BOOKS, fewer)).filter).toMatch(/^\(\("author" IN \[\]\)/)
  })

  it.each([
    ['age > 21', null, ['2', '3']],
    ['age > 21', 'age < 23', ['2']],
    ['age > 99', null, []],
  ])('`match` finds the documents of %s within %s', async (condition, within, ids) => {
    const request = { step: 'match', condition, within, shards: null } as const
    expect(await step(AUTHORS, request)).toEqual({ ids })
  })

  it('`match` and `documents` leave out other shards', async () => {
    const all = ['0', '1', '2', '3']
    const within = { within: null, shards: ['none'] } as const
    const found = await step(AUTHORS, { step: 'match', condition: 'age > 0', ...within })
    const documents = await step(AUTHORS, { step: 'documents', ids: all, ...within })
    expect(documents.documents.map(([id]: [string]) => id)).toEqual(found.ids)
  })

  it('`documents` shows displayed fields of those that the caller may see', async () => {
    const ids = ['3', 'unknown', '0']
    const request = { step: 'documents', ids, within: null, shards: null } as const
    expect(await step(AUTHORS, request)).toEqual({
      documents: [
        ['3', { id: 3, name: 'Di' }],
        ['0', { id: 0, name: 'Ann' }],
      ],
    })
    expect(await step(AUTHORS, { ...request, within: 'age > 20' })).toEqual({
      documents: [['3', { id: 3, name: 'Di' }]],
    })
  })
})

describe('an answer', () => {
  const index = (uid: typeof BOOKS, foreignKeys: readonly object[]) =>
    ({ settings: { foreignKeys }, ref: { uid, primaryKey: 'id' } }) as unknown as MergedIndex
  const indexes = [index(BOOKS, KEYS), index(CITIES, [])]
  const ANSWER = {
    hits: [
      { id: 1, author: [7, 8], town: { id: 5 } },
      { id: 2, author: 7, _federation: { queriesPosition: 0 } },
      { id: 3, author: 7, _federation: { indexUid: 'cities' } },
    ],
    remoteErrors: { b: 1 },
    limit: 20,
  }
  const run = (more: Partial<Hydration> = {}) => {
    const answer = Buffer.from(JSON.stringify(ANSWER))
    const hydration: Hydration = { answer, indexUid: BOOKS, hidden: [], found: null, ...more }
    return JSON.parse(Buffer.from(runHydration(indexes, hydration)).toString())
  }
  const found = (
    documents: Readonly<Record<string, Readonly<Record<string, string>>>>,
    errors = {},
  ) => ({
    documents: new Map(
      Object.entries(documents).map(([uid, of]) => [
        uid,
        new Map(Object.entries(of).map(([id, json]) => [id, Buffer.from(json)])),
      ]),
    ),
    errors,
  })

  it('names the ids of its hits, by the first index of a field', () => {
    expect(run()).toEqual({ authors: ['7', '8'], cities: ['5'] })
    expect(run({ hidden: ['cities'] })).toEqual({ authors: ['7', '8'] })
    expect(run({ hidden: ['authors'] })).toEqual({ cities: ['7', '8', '5'] })
    expect(run({ indexUid: CITIES })).toEqual({})
  })

  it('has documents in their places, and an empty one for an id that names none', () => {
    const seven = '{"id":7.0}'
    const { hits, ...rest } = run({ found: found({ authors: { 7: seven } }) })
    expect(hits).toEqual([
      { id: 1, author: [{ id: 7 }, {}], town: { id: {} } },
      { id: 2, author: { id: 7 }, _federation: { queriesPosition: 0 } },
      { id: 3, author: 7, _federation: { indexUid: 'cities' } },
    ])
    expect(rest).toEqual({ remoteErrors: { b: 1 }, limit: 20 })
  })

  it('keeps ids that an instance which failed may have, and names it', () => {
    const { hits, remoteErrors } = run({ found: found({ authors: { 7: '{}' } }, { c: 2 }) })
    expect(hits[0]).toEqual({ id: 1, author: [{}, 8], town: { id: 5 } })
    expect(remoteErrors).toEqual({ b: 1, c: 2 })
  })
})
