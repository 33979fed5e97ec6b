// The requests by which an instance sends another one its part of a change: definitions, documents
// and the final message, to an instance that the test plays.
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Network, NO_NETWORK, type TopologyChange } from '../../../engine/index.ts'
import { ExportPieces } from './export-pieces.ts'
import { type ExportParts, exportTo } from './exporter.ts'

const REMOTE = { searchApiKey: null, writeApiKey: 'key' }
const VERSION = '01980000-0000-7000-8000-000000000001'

function networkOf(
  self: string | null,
  names: readonly string[],
  shards: { readonly [name: string]: readonly string[] } = {},
): Network {
  return {
    ...NO_NETWORK,
    self,
    leader: 'a',
    remotes: new Map(names.map((name) => [name, { ...REMOTE, url: `http://${name}` }])),
    shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
  }
}

const changeOf = (before: Network, after: Network, more: object = {}): TopologyChange =>
  ({
    uid: 1,
    before,
    after,
    absent: [],
    renewed: [],
    isReturning: false,
    renewedShards: new Map(),
    origin: { remoteName: 'a', taskUid: 1, networkVersion: VERSION },
    ...more,
  }) as unknown as TopologyChange

type World = {
  /** Indexes of this instance, with the documents of each piece. */
  readonly indexes?: { readonly [uid: string]: readonly number[] }
  /** Indexes that the other instance has. */
  readonly theirs?: readonly string[]
  readonly primaryKey?: string | null
  readonly rules?: readonly object[] | null
  /** Paths that the other instance refuses. */
  readonly refused?: string
}

/** `sent`: the requests in order, with their bodies; `released`: the indexes that were closed. */
function world({ indexes = {}, theirs = [], primaryKey = 'id', rules = null, refused }: World) {
  const sent: string[] = []
  const headers: { readonly [name: string]: string }[] = []
  const released: string[] = []
  const reports: string[] = []
  const opened = (uid: string) => {
    const pieces = indexes[uid]!
    let next = 0
    return {
      primaryKey,
      release: () => released.push(uid),
      chunk: () => {
        const documents = pieces[next++] ?? 0
        const last = next < pieces.length ? next : null
        const total = pieces.reduce((sum, count) => sum + count, 0)
        const head = Buffer.from(`${JSON.stringify({ total, documents, last })}\n`)
        return Promise.resolve(Buffer.concat([head, Buffer.from('{"id":1}\n'.repeat(documents))]))
      },
    }
  }
  const engine = {
    topology: {
      indexUids: () => Object.keys(indexes),
      settings: () => null,
      open: (uid: string) => (uid === 'gone' ? null : opened(uid)),
    },
    documents: { index: () => ({ primaryKey }) },
    administration: {
      features: { dynamicSearchRules: rules !== null },
      rules: () => rules ?? [],
    },
  }
  const send = (request: {
    method: string
    url: string
    body: Uint8Array | null
    headers: object
  }) => {
    const { pathname, search } = new URL(request.url)
    const own = request.headers as { readonly [name: string]: string }
    const packed = own['content-encoding'] === 'gzip'
    const body = request.body === null ? null : packed ? gunzipSync(request.body) : request.body
    const text = body === null ? '' : ` ${Buffer.from(body).toString().trimEnd()}`
    sent.push(`${request.method} ${pathname}${search}${text}`)
    headers.push(own)
    const uid = /^\/indexes\/([^/]+)$/.exec(pathname)?.[1]
    const isMissing = request.method === 'GET' && uid !== undefined && !theirs.includes(uid)
    const code = isMissing ? 'index_not_found' : 'feature_not_enabled'
    if (isMissing || pathname === refused) {
      const answer = Buffer.from(JSON.stringify({ message: 'no', code, type: 'x', link: '' }))
      return Promise.resolve({ status: isMissing ? 404 : 400, headers: {}, body: answer })
    }
    const list = JSON.stringify({ results: theirs.map((one) => ({ uid: one })) })
    return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(list) })
  }
  const parts = {
    engine,
    send,
    times: { connectMs: 1000, requestMs: 1000 },
    signal: new AbortController().signal,
    report: (message: string) => reports.push(message),
    pieces: new ExportPieces(() => 0),
  } as unknown as ExportParts
  return { parts, sent, headers, released, reports }
}

/** A message without its origin. */
const message = (type: string, remote: string): string =>
  `POST /network/control {"origin":…,"message":{"type":"${type}","remote":"${remote}"}}`
const shown = (sent: readonly string[]): readonly string[] =>
  sent.map((one) =>
    one.replace(/"origin":\{[^}]*\}/, '"origin":…').replace(/ \/network\/\w+/, ' /network/control'),
  )

test('the leader sends an instance that joins the definitions, its documents and the end', async () => {
  const before = networkOf('a', ['a'], { s1: ['a'] })
  const after = networkOf('a', ['a', 'b'], { s1: ['a', 'b'] })
  const { parts, sent, headers, released } = world({
    indexes: { films: [2, 1], 'x-y': [0] },
    theirs: ['films'],
  })
  await exportTo(parts, changeOf(before, after), 'b')
  expect(shown(sent)).toEqual([
    message('renewForRemote', 'b'),
    'GET /indexes/films',
    'PATCH /indexes/films/settings {}',
    'GET /indexes/x-y',
    'PATCH /indexes/x-y/settings {}',
    'PATCH /indexes/x-y {"primaryKey":"id"}',
    'POST /indexes/films/documents?primaryKey=id {"id":1}\n{"id":1}\n{"id":1}',
    'POST /indexes/x-y/documents?primaryKey=id []',
    message('exportNoIndexForRemote', 'a'),
  ])
  expect(released).toEqual(['films', 'x-y'])
  const documents = headers[6]!
  expect(documents).toMatchObject({
    authorization: 'Bearer key',
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
  })
  const byName = Object.fromEntries(
    Object.entries(documents).map(([name, value]) => [name.toLowerCase(), value]),
  )
  expect(byName).toMatchObject({
    'x-svc-proxy-import-remote': 'a',
    'x-svc-proxy-import-index': 'films',
    'x-svc-proxy-import-docs': '3',
    // One more than there are: only the final message ends the import.
    'x-svc-proxy-import-index-count': '3',
    'x-svc-proxy-import-total-index-docs': '3',
  })
  expect(headers[7]).toMatchObject({ 'content-type': 'application/json' })
  // A request without a body has no type.
  const types = headers.map((own) => own['content-type'])
  expect(types.slice(1, 4)).toEqual([undefined, 'application/json', undefined])
})

test('a member that knows all gets its new documents alone', async () => {
  const before = networkOf('a', ['a', 'b'], { s1: ['a'] })
  const after = networkOf('a', ['a', 'b'], { s1: ['a', 'b'] })
  const { parts, sent } = world({ indexes: { films: [1] }, theirs: ['films'], primaryKey: null })
  await exportTo(parts, changeOf(before, after), 'b')
  expect(shown(sent)).toEqual([
    'GET /indexes/films',
    'POST /indexes/films/documents {"id":1}',
    message('exportNoIndexForRemote', 'a'),
  ])
})

test('an instance that joins sends settings of the indexes that others lack, and no definitions', async () => {
  const before = networkOf('c', ['a', 'b'], { s1: ['c'] })
  const after = networkOf('c', ['a', 'b', 'c'], { s1: ['b', 'c'] })
  const mine = world({ indexes: { mine: [1] }, theirs: [] })
  await exportTo(mine.parts, changeOf(before, after, { isReturning: true }), 'b')
  const documents = 'POST /indexes/mine/documents?primaryKey=id {"id":1}'
  expect(shown(mine.sent)).toEqual([
    'GET /indexes/mine',
    'PATCH /indexes/mine/settings {}',
    documents,
    message('exportNoIndexForRemote', 'c'),
  ])
  // The other one has the index already, or the key may not read it.
  for (const refused of [{}, { refused: '/indexes/mine' }]) {
    const known = world({ indexes: { mine: [1] }, theirs: ['mine'], ...refused })
    await exportTo(known.parts, changeOf(before, after, { isReturning: true }), 'b')
    expect(shown(known.sent).slice(0, 2)).toEqual(['GET /indexes/mine', documents])
  }
  const member = networkOf('c', ['a', 'b', 'c'], { s1: ['c'] })
  const staying = world({ indexes: { mine: [1] } })
  await exportTo(staying.parts, changeOf(member, after), 'b')
  expect(shown(staying.sent)[0]).toBe(documents)
})

test('an index that was deleted meanwhile is left out, and nothing is sent without a transfer', async () => {
  const before = networkOf('c', ['a', 'b', 'c'], { s1: ['c'] })
  const after = networkOf('c', ['a', 'b', 'c'], { s1: ['b', 'c'] })
  const { parts, sent, released } = world({ indexes: { gone: [1] } })
  await exportTo(parts, changeOf(before, after), 'b')
  expect([shown(sent), released]).toEqual([[message('exportNoIndexForRemote', 'c')], []])
  const same = world({ indexes: { films: [1] } })
  await exportTo(same.parts, changeOf(before, before), 'b')
  expect(shown(same.sent)).toEqual([message('exportNoIndexForRemote', 'c')])
})

test('search rules replace those of an instance that joins, if it takes them', async () => {
  const before = networkOf('a', ['a'])
  const after = networkOf('a', ['a', 'b'])
  const rules = [{ uid: 'r 1', active: true, lastUpdatedAt: 1, lastUpdatedNanos: 2 }]
  const rulesOf = async (more: World) => {
    const { parts, sent, reports } = world({ rules, ...more })
    await exportTo(parts, changeOf(before, after), 'b')
    return [shown(sent).filter((one) => one.includes('rules')), reports]
  }
  expect(await rulesOf({})).toEqual([
    ['DELETE /dynamic-search-rules', 'PATCH /dynamic-search-rules/r%201 {"active":true}'],
    [],
  ])
  expect(await rulesOf({ rules: null })).toEqual([[], []])
  expect(await rulesOf({ rules: [] })).toEqual([[], []])
  expect(await rulesOf({ rules: [], indexes: { films: [] } })).toEqual([
    ['DELETE /dynamic-search-rules'],
    [],
  ])
  expect(await rulesOf({ refused: '/dynamic-search-rules' })).toEqual([
    ['DELETE /dynamic-search-rules'],
    ['Search rules could not be handed over.'],
  ])
})

test('an instance whose shards are sent again is emptied first', async () => {
  const before = networkOf('a', ['a', 'b'], { s1: ['a', 'b'] })
  const after = networkOf('a', ['a', 'b'], { s1: ['a', 'b'], s2: ['a'] })
  const { parts, sent } = world({ indexes: { films: [1] }, theirs: ['old', 'films'] })
  await exportTo(parts, changeOf(before, after, { renewed: ['b'] }), 'b')
  expect(shown(sent).slice(0, 6)).toEqual([
    message('renewForRemote', 'b'),
    'GET /indexes?limit=1000&offset=0',
    'DELETE /indexes/films',
    'DELETE /indexes/old',
    'GET /indexes/films',
    'PATCH /indexes/films/settings {}',
  ])
  expect(shown(sent)).toContain(message('definitionsSentForRemote', 'b'))
  expect(shown(sent).at(-1)).toBe(message('exportNoIndexForRemote', 'a'))
})

test.each([
  ['stays', 'b', {}, 1],
  ['gets its shards again', 'b', { renewed: ['b'] }, 0],
  ['leaves', null, {}, 0],
])(
  'an instance that %s reports an index without documents, or not',
  async (_, self, more, count) => {
    const before = networkOf('b', ['a', 'b', 'c'], { s1: ['a'], s2: ['c'] })
    const names = self === null ? ['a', 'c'] : ['a', 'b', 'c']
    const after = networkOf(self, names, { s1: ['a'], s2: ['a'] })
    const { parts, sent } = world({ indexes: { deleted: [] }, theirs: [] })
    await exportTo(parts, changeOf(before, after, more), 'a')
    const reports = Array(count).fill('POST /indexes/deleted/documents?primaryKey=id []')
    expect(shown(sent)).toEqual([...reports, message('exportNoIndexForRemote', 'b')])
  },
)
