// Indexes, uploads and networks as the page shows them, without a browser.
import { describe, expect, it } from 'vitest'
import { readJson, readObject } from '../parts/json-text.ts'
import { peakOf, ratePoints, sizePoints } from './history.ts'
import { shownIndex } from './index-list.ts'
import { hasNetwork, type NetworkAnswer, networkModel } from './network-model.ts'
import { fileType, uploadPath } from './upload.ts'
import { acceptsNull, isMerged, linesOf, valueKind } from './value-kind.ts'

describe('the index that is shown', () => {
  const rows = [
    { uid: 'a', documents: 0 },
    { uid: 'b', documents: 3 },
  ]

  it('is the named one, else the first with documents, else the first', () => {
    expect(shownIndex(rows, 'nowhere')).toBe('nowhere')
    expect(shownIndex(rows, '')).toBe('b')
    expect(shownIndex(rows.slice(0, 1), '')).toBe('a')
    // The number of documents is null if the key may not see statistics.
    expect(shownIndex([{ uid: 'x', documents: null }, ...rows], '')).toBe('x')
    expect(shownIndex([], '')).toBe('')
  })
})

describe('settings and files that a user sends', () => {
  it('are read as JSON, with a message if the text is not JSON or not an object', () => {
    expect(readJson(' ["a"] ')).toEqual({ value: ['a'], error: null })
    expect(readJson('["a",]').error).toMatch(/^This is not valid JSON: .+/)
    expect(readObject('{}')).toEqual({ value: {}, error: null })
    for (const text of ['[]', 'null', '"a"', '']) expect(readObject(text).error).not.toBeNull()
  })

  it.each([
    ['films.JSON', 'application/json', false],
    ['films.ndjson.gz', 'application/x-ndjson', true],
    ['films.jsonl', 'application/x-ndjson', false],
    ['a.b.csv', 'text/csv', false],
  ])('%s is %s', (name, type, isGzip) => expect(fileType(name)).toEqual({ type, isGzip }))

  it('have a type that depends only on the name of the file', () => {
    for (const name of ['', 'films', 'films.gz', 'films.xml', 'csv']) {
      expect(fileType(name)).toBeNull()
    }
  })

  it('name a primary key, and a delimiter if the file is CSV', () => {
    const upload = { index: 'a b', primaryKey: '', isUpdate: false, csvDelimiter: ';' }
    expect(uploadPath({ ...upload, file: new File([], 'x.json') })).toBe('/indexes/a%20b/documents')
    const csv = { ...upload, primaryKey: 'id', file: new File([], 'x.csv') }
    expect(uploadPath(csv)).toBe('/indexes/a%20b/documents?primaryKey=id&csvDelimiter=%3B')
  })
})

describe('the last hour', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  const batch = (startedAt: string, finishedAt: string | null, indexedDocuments: number) => ({
    startedAt: `2026-01-01T${startedAt}Z`,
    finishedAt: finishedAt === null ? null : `2026-01-01T${finishedAt}Z`,
    details: { indexedDocuments },
  })

  it('has the documents per second of each minute, spread over the time of a batch', () => {
    const rates = ratePoints([batch('11:58:30', '11:59:30', 1200)], now)
    expect(rates).toHaveLength(60)
    expect(rates.slice(-3).map(({ value }) => Math.round(value))).toEqual([0, 10, 10])
    // A batch that began before the hour counts with its part; one that runs does not count yet.
    const early = ratePoints([batch('10:59:00', '11:01:00', 240)], now)
    expect(early.map(({ value }) => value).filter((value) => value > 0)).toEqual([2])
    expect(peakOf(ratePoints([batch('11:59:00', null, 5)], now))).toBe(0)
    const all = ratePoints(
      [batch('11:10:00', '11:10:00', 7), batch('11:20:00', '11:50:00', 90)],
      now,
    )
    expect(all.reduce((sum, { value }) => sum + value * 60, 0)).toBeCloseTo(97)
  })

  it('has the sizes of an index and of the database, at their moments', () => {
    const readings = [
      { at: '2026-01-01T11:30:00Z', databaseSize: 5, indexes: {} },
      { at: '2026-01-01T12:00:00Z', databaseSize: 9, indexes: { a: 4 } },
    ]
    const history = { readings }
    expect(sizePoints(history, 'a', now)).toEqual([
      { at: 0.5, value: 0 },
      { at: 1, value: 4 },
    ])
    expect(sizePoints(history, null, now).map(({ value }) => value)).toEqual([5, 9])
  })

  it('has no documents of batches that have none, or that still run', () => {
    const now = Date.parse('2026-01-02T01:00:00Z')
    const startedAt = '2026-01-02T00:58:00Z'
    const rates = (finishedAt: string | null, indexedDocuments?: number | null) =>
      ratePoints([{ startedAt, finishedAt, details: { indexedDocuments: indexedDocuments! } }], now)
    const none = rates(null, 60)
    expect(none.every(({ value }) => value === 0)).toBe(true)
    expect([rates('2026-01-02T00:59:00Z', null), rates('2026-01-02T00:59:00Z')]).toEqual([
      none,
      none,
    ])
    // A minute of the hour, the last but one.
    const some = rates('2026-01-02T00:59:00Z', 60)
    expect(some.flatMap(({ value }, at) => (value > 0 ? [[at, value]] : []))).toEqual([[58, 1]])
    // A batch that took no time is in one minute.
    const quick = rates(startedAt, 60).map(({ value }) => value)
    expect(quick.flatMap((value, at) => (value > 0 ? [[at, value]] : []))).toEqual([[58, 1]])
  })
})

describe('the form of a setting', () => {
  const texts = { type: ['array', 'null'], items: { type: 'string' } }
  const mixed = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object' }] } }
  it.each([
    ['flag', { type: ['boolean', 'null'] }, true],
    ['number', { type: 'integer' }, 3],
    ['number', { type: ['number', 'null'] }, null],
    ['text', { type: ['string', 'null'] }, null],
    ['choice', { type: ['string', 'null'], enum: ['a', null] }, 'a'],
    ['lines', texts, null],
    ['lines', mixed, ['a']],
    ['json', mixed, ['a', { b: 1 }]],
    // An empty text and a line break are no lines.
    ['json', texts, ['a', '']],
    ['json', texts, ['a\nb']],
    ['list', { type: 'array', items: { type: 'object' } }, []],
    ['members', { type: 'object', properties: { a: {} } }, {}],
    ['map', { type: ['object', 'null'], additionalProperties: { type: 'string' } }, {}],
    ['json', { type: 'object', additionalProperties: true }, {}],
    ['json', {}, 1],
  ])('is %s for %j and %j', (kind, schema, value) => expect(valueKind(schema, value)).toBe(kind))

  it('knows what may be reset, what is merged, and lines without empty ones', () => {
    expect([acceptsNull(texts), acceptsNull(mixed), acceptsNull({})]).toEqual([true, false, false])
    expect([isMerged({}), isMerged({ required: ['a'] })]).toEqual([true, false])
    expect(linesOf('a\r\n\n b\n')).toEqual(['a', ' b'])
  })
})

describe('a network', () => {
  const remote = (change: Partial<NetworkAnswer['remotes'][string]> = {}) => ({
    url: 'http://a',
    isSelf: false,
    isLeader: false,
    status: 'available' as const,
    shards: ['s1'],
    backlog: null,
    stale: null,
    lastError: null,
    ...change,
  })
  const answer = (change: Partial<NetworkAnswer> = {}): NetworkAnswer => ({
    self: 'a',
    leader: 'a',
    remotes: {
      b: remote({ status: 'unavailable', backlog: { tasks: 2, bytes: 2048 }, lastError: 'why' }),
      a: remote({ isSelf: true, isLeader: true, status: 'unavailable', shards: ['s1', 's2'] }),
    },
    shards: { s2: ['a'], s1: ['b', 'a'], s3: ['b'] },
    change: null,
    replicasEqual: true,
    ...change,
  })

  it('exists with its first instance', () => {
    expect(hasNetwork(answer())).toBe(true)
    expect(hasNetwork(answer({ remotes: {} }))).toBe(false)
  })

  it('shows instances by name, and their problems', () => {
    const { instances, summary, replicas } = networkModel(answer())
    expect(summary).toBe('2 instances, 3 shards with 1 to 2 owners each')
    expect(replicas).toEqual({ text: 'all replicas are equal', isGood: true })
    expect(instances).toMatchObject([
      // The instance that answers counts as available, even if its answer says otherwise.
      { name: 'a', roles: ['leader', 'this instance'], isAvailable: true, shards: 2, notes: [] },
      { name: 'b', roles: [], isAvailable: false, shards: 1 },
    ])
    expect(instances[1]!.notes).toEqual(['2 writes not confirmed yet (2.0 KiB)', 'why'])
  })

  it('shows the owners of each shard, and how many are available', () => {
    expect(networkModel(answer()).shards).toEqual([
      { name: 's1', owners: [true, true], available: 1 },
      { name: 's2', owners: [true, false], available: 1 },
      { name: 's3', owners: [false, true], available: 0 },
    ])
  })

  it('has no shards without a leader', () => {
    const { shards, summary, replicas } = networkModel(answer({ leader: null, shards: {} }))
    expect([shards, replicas, summary]).toEqual([
      null,
      null,
      '2 instances, each with its own documents',
    ])
  })

  it.each([
    ['Waiting for tasks enqueued before the network change to finish processing', 0, null],
    ['Exporting documents', 1, null],
    [
      'Importing documents from 2 remotes, awaiting 5 and processed 25 out of 100 documents in 1 ' +
        'indexes from `b`, 1 remotes finished processing',
      2,
      0.25,
    ],
    ['Waiting for `b` to finish importing', 3, null],
    ['Deleting documents in shards that are no longer owned', 4, null],
    [null, -1, null],
  ])('tells how far a change is: %s', (message, at, share) => {
    const { change } = networkModel(answer({ change: { taskUid: 7, message } }))
    expect(change).toMatchObject({ taskUid: 7, message, share })
    expect(change!.phases.findIndex(({ state }) => state === 'current')).toBe(at)
    expect(change!.phases.filter(({ state }) => state === 'done')).toHaveLength(Math.max(0, at))
  })
})

describe('the model of a network', () => {
  const remote = { url: 'http://a', isSelf: true, isLeader: true, status: 'available' as const }
  const more = { shards: [], backlog: null, stale: null, lastError: null }
  const answer = (change: Partial<NetworkAnswer> = {}): NetworkAnswer => ({
    self: 'a',
    leader: 'a',
    remotes: { a: { ...remote, ...more } },
    shards: {},
    change: null,
    replicasEqual: null,
    ...change,
  })

  it('may have no shards, or as many owners of each', () => {
    expect(networkModel(answer())).toMatchObject({
      summary: '1 instance, no shards',
      replicas: null,
      shards: [],
    })
    const shards = { s1: ['a', 'b'], s2: ['b', 'a'] }
    const model = networkModel(answer({ shards, replicasEqual: false }))
    expect(model.summary).toBe('1 instance, 2 shards with 2 owners each')
    expect(model.replicas).toEqual({ text: 'replicas differ', isGood: false })
    // The owner that the answer does not list is not available.
    expect(model.shards!.map(({ available }) => available)).toEqual([1, 1])
  })

  it('has instances whose shards are out of date, and writes that are confirmed', () => {
    const backlog = { tasks: 0, bytes: 0 }
    const remotes = { a: { ...remote, ...more, backlog, stale: 'a restart' } }
    expect(networkModel(answer({ remotes })).instances[0]!.notes).toEqual([
      'receives its shards again: a restart',
    ])
  })

  it.each([
    ['Importing, processed 3 out of 2', 1],
    ['Importing, processed 0 out of 0', null],
    ['Importing, processed 0 out of 2', 0],
  ])('has moved a share of its documents: %s', (message, share) => {
    expect(networkModel(answer({ change: { taskUid: 1, message } })).change!.share).toBe(share)
  })
})
