// Foreign keys: conditions on documents of another index, and hits that show them.
import { beforeAll, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { DEFAULT_FEDERATION, type IndexAccess, type SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  documentsOf,
  openTestEngine,
  PLAIN_SEARCH,
  type TestEngine,
} from '../../testing/test-engine.ts'

let engine: TestEngine

const set = (uid: string, patch: { readonly [setting: string]: unknown }) =>
  changeSettings(engine, uid, patch)

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await engine.administration.setFeatures({ foreignKeys: true })
  const people = Array.from({ length: 1200 }, (_, id) => ({
    id,
    name: `n${id}`,
    age: id,
    nick: 'x',
  }))
  await addDocuments(engine, 'people', [...people, { id: 'p', name: 'p', age: 5000 }])
  await set('people', {
    filterableAttributes: ['age', 'name'],
    displayedAttributes: ['id', 'name', 'age'],
  })
  await addDocuments(engine, 'books', [
    { id: 10, title: 'Tides', author: 1, meta: { editor: 2, note: 'n' } },
    { id: 11, title: 'Dunes', author: [2, 'p', 3, 'none', null, { id: 1 }, 1.5, [4]] },
    { id: 12, title: 'Peaks', author: 9999, meta: [{ editor: '3' }, { editor: [4, 5] }] },
    { id: 13, title: 'Void' },
    { id: 14, title: 'Self', 'meta.editor': 6 },
  ])
  await set('books', {
    filterableAttributes: ['author', 'meta.editor', 'title'],
    foreignKeys: [
      { foreignIndexUid: 'people', fieldName: 'author' },
      { foreignIndexUid: 'people', fieldName: 'meta.editor' },
    ],
  })
  await addDocuments(engine, 'lost', [{ id: 1, friend: 1 }])
  await set('lost', {
    filterableAttributes: ['friend'],
    foreignKeys: [{ foreignIndexUid: 'ghost', fieldName: 'friend' }],
  })
  await engine.idle()
})

const search = async (
  uid: string,
  request: Partial<SearchRequest>,
  access?: IndexAccess,
  features: object = {},
) => {
  const context = {
    requestUid: 'r',
    queryUid: null,
    features: { ...engine.administration.features, ...features },
    signal: new AbortController().signal,
    ...(access === undefined ? {} : { access }),
  }
  const bytes = await engine.queries.search(
    asIndexUid(uid),
    { ...PLAIN_SEARCH, ...request },
    context,
  )
  return JSON.parse(Buffer.from(bytes).toString())
}

const person = (id: number) => ({ id, name: `n${id}`, age: id })

test('hits show documents in place of ids, with displayed fields only', async () => {
  const { hits } = await search('books', {})
  expect(hits).toEqual([
    { id: 10, title: 'Tides', author: person(1), meta: { editor: person(2), note: 'n' } },
    {
      id: 11,
      title: 'Dunes',
      author: [
        person(2),
        { id: 'p', name: 'p', age: 5000 },
        person(3),
        {},
        null,
        { id: 1 },
        {},
        [person(4)],
      ],
    },
    {
      id: 12,
      title: 'Peaks',
      author: {},
      meta: [{ editor: person(3) }, { editor: [person(4), person(5)] }],
    },
    { id: 13, title: 'Void' },
    { id: 14, title: 'Self', 'meta.editor': person(6) },
  ])
})

test('formatting applies to the documents of the other index', async () => {
  const { hits } = await search('books', {
    q: 'tides',
    attributesToRetrieve: ['meta.editor'],
    attributesToHighlight: ['*'],
    showMatchesPosition: true,
  })
  expect(hits).toEqual([
    {
      meta: { editor: person(2) },
      _formatted: {
        id: '10',
        title: '<em>Tides</em>',
        author: { id: '1', name: 'n1', age: '1' },
        meta: { editor: { id: '2', name: 'n2', age: '2' }, note: 'n' },
      },
      _matchesPosition: {
        title: [{ start: 0, length: 5 }],
      },
    },
  ])
})

test('without the feature ids stay ids, and documents are never joined', async () => {
  const { hits } = await search('books', { q: 'tides' }, undefined, { foreignKeys: false })
  expect(hits[0].author).toBe(1)
  expect(await documentsOf(engine, 'books')).toContainEqual({
    id: 10,
    title: 'Tides',
    author: 1,
    meta: { editor: 2, note: 'n' },
  })
})

const idsOf = async (filter: unknown, access?: IndexAccess): Promise<readonly number[]> => {
  const { hits } = await search('books', { filter }, access)
  return hits.map(({ id }: { id: number }) => id)
}

test('filters match documents of the other index', async () => {
  expect(await idsOf('_foreign(author, age < 2)')).toEqual([10])
  expect(await idsOf('_foreign(author, age > 400)')).toEqual([11])
  expect(await idsOf('_foreign(author, name = n3 OR name = n1)')).toEqual([10, 11])
  expect(await idsOf('NOT _foreign(author, age < 4)')).toEqual([12, 13, 14])
  expect(await idsOf('_foreign(meta.editor, age IN [4, 6])')).toEqual([12, 14])
  expect(await idsOf('_foreign(author, age > 6000)')).toEqual([])
  expect(await idsOf([['_foreign(author, age = 1)', '_foreign(author, age = 5000)']])).toEqual([
    10, 11,
  ])
})

test('a condition may match a thousand documents of the other index', async () => {
  expect(await idsOf('_foreign(author, age < 1000)')).toEqual([10, 11])
  await expect(idsOf('_foreign(author, age < 1001)')).rejects.toMatchObject({
    code: 'invalid_search_filter',
    message: expect.stringContaining('more than 1000 documents'),
  })
})

test.each([
  ['_foreign(title, age = 1)', 'Field `title` is not a foreign key'],
  ['_foreign(author, nick = x)', 'Index `people`: Attribute `nick` is not filterable.'],
  ['_foreign(author, _foreign(author, age = 1))', 'Nested foreign filters are not supported'],
  ['ghost = 1 AND _foreign(ghost, age = 1)', 'Field `ghost` is not a foreign key'],
])('%s: %s', async (filter, words) => {
  await expect(idsOf(filter)).rejects.toThrow(words)
})

test('a later fault of the filter quotes it with the ids that were found', async () => {
  await set('books', { filterableAttributes: ['title'] })
  await engine.idle()
  await expect(idsOf('title = x OR _foreign(author, age > 1198)')).rejects.toThrow(
    'Index `books`: Attribute `author` is not filterable. ' +
      'Available filterable attribute patterns are: `title`.\n' +
      '22:28 ("title" = "x") OR ("author" IN ["1199", "p"])',
  )
  await set('books', { filterableAttributes: ['author', 'meta.editor', 'title'] })
  await engine.idle()
})

test('without the feature the condition alone is quoted', async () => {
  const filter = 'title = é AND (_foreign(author, age = 1) OR title = x)'
  await expect(
    search('books', { filter }, undefined, { foreignKeys: false }),
  ).rejects.toMatchObject({
    code: 'feature_not_enabled',
    message: expect.stringContaining('\n10:16 _foreign(author, age = 1)'),
  })
})

test('an index that does not exist is not found', async () => {
  await expect(search('lost', {})).rejects.toMatchObject({ code: 'index_not_found' })
  await expect(search('lost', { filter: '_foreign(friend, a = 1)' })).rejects.toThrow('`ghost`')
})

test('documents that the caller may not see are treated as absent', async () => {
  const hidden: IndexAccess = (uid) => (uid === 'people' ? null : { filter: null })
  expect((await search('books', { q: 'tides' }, hidden)).hits[0].author).toBe(1)
  await expect(idsOf('_foreign(author, age = 1)', hidden)).rejects.toMatchObject({
    code: 'index_not_found',
  })
  const young: IndexAccess = () => ({ filter: 'age < 2' })
  const { hits } = await search('books', { filter: 'author EXISTS' }, young)
  expect(hits[0].author).toEqual(person(1))
  expect(hits[1].author.slice(0, 2)).toEqual([{}, {}])
  expect(await idsOf('_foreign(author, age < 5)', young)).toEqual([10])
})

test('all kinds of search follow foreign keys', async () => {
  const context = {
    requestUid: 'r',
    queryUid: null,
    features: engine.administration.features,
    signal: new AbortController().signal,
  }
  const request = { ...PLAIN_SEARCH, filter: '_foreign(author, age = 1)' }
  const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())
  const searches = [{ indexUid: asIndexUid('books'), request }]
  const { results } = read(Buffer.concat(await engine.queries.multiSearch(searches, context)))
  expect(results[0].hits[0].author).toEqual(person(1))
  const federated = [{ ...searches[0]!, weight: 1, queryPosition: null }]
  const merged = read(await engine.queries.federatedSearch(federated, DEFAULT_FEDERATION, context))
  expect(merged.hits[0].author).toEqual(person(1))
  const wrong = [
    { ...federated[0]!, request: { ...request, filter: '_foreign(author, nick = 1)' } },
  ]
  await expect(engine.queries.federatedSearch(wrong, DEFAULT_FEDERATION, context)).rejects.toThrow(
    /^Index `people`: Attribute `nick` is not filterable/,
  )
  await expect(
    engine.queries.multiSearch(
      [{ indexUid: asIndexUid('books'), request: wrong[0]!.request }],
      context,
    ),
  ).rejects.toThrow('Inside `.queries[0]`: Index `people`: Attribute `nick` is not filterable')
  const documents = { offset: 0, limit: 20, fields: null, retrieveVectors: false }
  const fetched = await engine.documents.list(asIndexUid('books'), {
    ...documents,
    ids: null,
    sort: null,
    filter: '_foreign(author, age = 1)',
  })
  expect(read(fetched).results[0].author).toBe(1)
  const lost = [{ indexUid: asIndexUid('lost'), request: PLAIN_SEARCH }]
  await expect(engine.queries.multiSearch(lost, context)).rejects.toThrow(
    'Inside `.queries[0]`: Index `ghost` not found.',
  )
})
