// The text of answers, for clients that compare it: the order of members, and numbers that are
// floats even when their value is whole.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

async function textOf(method: string, path: string, body?: object): Promise<string> {
  const sent =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return await (await fetch(server.url + path, { method, ...sent })).text()
}

async function write(method: string, path: string, body: object): Promise<void> {
  expect((await server.ask(method, path, body)).status).toBe(202)
  await server.idle()
}

/** Returns the text of the hits only. */
const hitsOf = (answer: string): string => answer.slice(0, answer.indexOf(',"query":'))

test('orders members as the index first received them', async () => {
  await write('POST', '/indexes/order/documents', [
    { t: 'x', id: 1, n: 2 },
    { z: 1, id: 2, n: 3, t: 'x' },
  ])
  await write('PUT', '/indexes/order/documents', [{ first: 0, n: 4, id: 1 }])
  const shown = '{"t":"x","id":1,"n":4,"first":0},{"t":"x","id":2,"n":3,"z":1}'
  expect(await textOf('GET', '/indexes/order/documents')).toBe(
    `{"results":[${shown}],"offset":0,"limit":20,"total":2}`,
  )
  expect(await textOf('GET', '/indexes/order/documents/2')).toBe('{"t":"x","id":2,"n":3,"z":1}')
  expect(hitsOf(await textOf('POST', '/indexes/order/search', { q: 'x' }))).toBe(
    `{"hits":[${shown}]`,
  )
  const some = { q: 'x', attributesToRetrieve: ['n', 'z', 't'], attributesToHighlight: ['z', 't'] }
  expect(hitsOf(await textOf('POST', '/indexes/order/search', some))).toBe(
    '{"hits":[{"t":"x","n":4,"_formatted":{"t":"<em>x</em>","n":"4"}},' +
      '{"t":"x","n":3,"z":1,"_formatted":{"t":"<em>x</em>","n":"3","z":"1"}}]',
  )
})

test('puts a primary key that the request names first', async () => {
  await write('POST', '/indexes/given/documents?primaryKey=id', [{ t: 'x', id: 1 }])
  await write('POST', '/indexes', { uid: 'created', primaryKey: 'id' })
  await write('POST', '/indexes/created/documents', [{ t: 'x', id: 1 }])
  for (const uid of ['given', 'created']) {
    expect(await textOf('GET', `/indexes/${uid}/documents/1`)).toBe('{"id":1,"t":"x"}')
  }
})

test('ignores the names of a failed import', async () => {
  await write('POST', '/indexes/failed/documents', [{ late: 1, id: 1 }, { id: 'no id' }])
  await write('POST', '/indexes/failed/documents', [{ t: 'x', id: 1 }])
  await write('PUT', '/indexes/failed/documents', [{ id: 1, late: 2 }])
  expect(await textOf('GET', '/indexes/failed/documents/1')).toBe('{"t":"x","id":1,"late":2}')
})

test('writes scores, details and facet statistics as floats', async () => {
  await write('PATCH', '/indexes/floats/settings', {
    filterableAttributes: ['n'],
    sortableAttributes: ['n', '_geo'],
  })
  await write('POST', '/indexes/floats/documents', [
    { id: 1, t: 'x', n: 2, _geo: { lat: 1, lng: 2 } },
    { id: 2, t: 'x', n: 2.5 },
  ])
  const sort = ['n:asc', '_geoPoint(1, 2):asc', 'n:asc']
  const request = { q: 'x', showRankingScore: true, showRankingScoreDetails: true }
  const answer = await textOf('POST', '/indexes/floats/search', { ...request, sort, facets: ['n'] })
  expect(answer).toContain('"facetStats":{"n":{"min":2.0,"max":2.5}}')
  expect(answer).toContain('"facetDistribution":{"n":{"2":1,"2.5":1}}')
  expect(answer).toContain(
    '"_rankingScore":1.0,"_rankingScoreDetails":{' +
      '"words":{"order":0,"matchingWords":1,"maxMatchingWords":1,"score":1.0},' +
      '"typo":{"order":1,"typoCount":0,"maxTypoCount":1,"score":1.0},' +
      '"proximity":{"order":2,"score":1.0},"attributeRank":{"order":3,"score":1.0},' +
      '"n:asc":{"order":4,"value":2.0},' +
      '"_geoPoint(1, 2):asc":{"order":5,"value":{"lat":1.0,"lng":2.0},"distance":0.0},',
  )
  expect(answer).toContain('"_geoPoint(1, 2):asc":{"order":5,"value":null,"distance":null}')
  const merged = await textOf('POST', '/multi-search', {
    federation: { facetsByIndex: { floats: ['n'] } },
    queries: [{ indexUid: 'floats', q: 'x', federationOptions: { weight: 2 } }],
  })
  expect(merged).toContain(
    '"_federation":{"indexUid":"floats","queriesPosition":0,"weightedRankingScore":2.0}',
  )
  expect(merged).toContain('"stats":{"n":{"min":2.0,"max":2.5}}')
})

test('writes numbers of vectors as floats', async () => {
  await write('PATCH', '/indexes/vectors/settings', {
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  })
  await write('POST', '/indexes/vectors/documents', [{ id: 1, _vectors: { e: [1, 0.5] } }])
  expect(await textOf('GET', '/indexes/vectors/documents/1?retrieveVectors=true')).toBe(
    '{"id":1,"_vectors":{"e":{"embeddings":[[1.0,0.5]],"regenerate":false}}}',
  )
  const hybrid = { hybrid: { embedder: 'e' }, vector: [1, 0.5], showRankingScoreDetails: true }
  const answer = await textOf('POST', '/indexes/vectors/search', hybrid)
  expect(answer).toContain('"_rankingScoreDetails":{"vectorSort":{"order":0,"similarity":1.0}}')
})
