// The page's logic without a browser: requests, answers, addresses, texts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAddress, VIEWS, writeAddress } from './address.ts'
import { hitText } from './hit-text.ts'
import { shownIndex } from './index-list.ts'
import { readJson, readObject } from './json-text.ts'
import { hasNetwork, type NetworkAnswer, networkModel } from './network-model.ts'
import {
  facetsOf,
  filtersOf,
  MARK_BEGINS,
  MARK_ENDS,
  markedPieces,
  partedFacets,
  type Question,
  type Range,
  searchesFor,
  valuesOf,
} from './query.ts'
import { ruleScores } from './ranking.ts'
import { ALL_TASKS, firstLine, momentText, tasksQuery } from './task-model.ts'
import { fileType, uploadPath } from './upload.ts'
import { agoText, bytesText, camelText, countText, durationText, plural } from './words.ts'

const question = (change: Partial<Question> = {}): Question => ({
  index: 'wares',
  q: '',
  sort: '',
  embedder: '',
  ratio: 0.5,
  ticked: new Map(),
  ranges: new Map(),
  ...change,
})

const mark = (text: string): string => `${MARK_BEGINS}${text}${MARK_ENDS}`

describe('questions', () => {
  it('become filters: values are alternatives, quotes are escaped', () => {
    const filters = filtersOf(
      question({
        ticked: new Map([
          ['brand', new Set(['Ostwind', 'a "b" \\c'])],
          ['empty', new Set<string>()],
        ]),
        ranges: new Map<string, Range>([
          ['price', { low: 5, high: null }],
          ['stars', { low: 1, high: 3 }],
          ['open', { low: null, high: null }],
        ]),
      }),
    )
    expect([...filters.values()]).toEqual([
      '"brand" IN ["Ostwind", "a \\"b\\" \\\\c"]',
      '"price" >= 5',
      '"stars" >= 1 AND "stars" <= 3',
    ])
  })

  it('are hybrid if an embedder was chosen, for hits and for counts', () => {
    const ticked = new Map([['brand', new Set(['x'])]])
    const searches = searchesFor(question({ ticked, embedder: 'e', ratio: 0.25 }), 0, true)
    const hybrid = { embedder: 'e', semanticRatio: 0.25 }
    expect(searches).toEqual([
      expect.objectContaining({ hybrid }),
      expect.objectContaining({ hybrid, limit: 0 }),
    ])
    expect(searchesFor(question(), 0, true)[0]).not.toHaveProperty('hybrid')
  })

  it('request the counts of a refined facet without its own filter', () => {
    const ticked = new Map([
      ['brand', new Set(['x'])],
      ['category', new Set(['y'])],
    ])
    const [first, brand, category, ...more] = searchesFor(question({ ticked }), 0, true)
    expect(more).toEqual([])
    expect(first?.['filter']).toHaveLength(2)
    expect(brand).toMatchObject({ facets: ['brand'], filter: ['"category" IN ["y"]'], limit: 0 })
    expect(category).toMatchObject({ facets: ['category'], filter: ['"brand" IN ["x"]'] })
    expect(searchesFor(question({ ticked }), 20, false)).toHaveLength(1)
  })

  it('are written to an address, and read from it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 })
    const number = fc.oneof(
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...VIEWS),
        fc.record({ index: text, q: text, sort: text, embedder: text }),
        fc.array(fc.tuple(text, fc.uniqueArray(text, { minLength: 1, maxLength: 3 })), {
          maxLength: 3,
        }),
        fc.array(fc.tuple(text, number, number), { maxLength: 3 }),
        (view, texts, ticked, ranges) => {
          const original = question({
            ...texts,
            ticked: new Map(ticked.map(([facet, values]) => [facet, new Set(values)])),
            ranges: new Map(
              ranges
                .filter(([, low, high]) => low !== null || high !== null)
                .map(([facet, low, high]) => [
                  facet,
                  { low: low === null ? null : low + 0, high: high === null ? null : high + 0 },
                ]),
            ),
          })
          const reread = readAddress(writeAddress({ view, question: original, tasks: ALL_TASKS }))
          expect(reread.view).toBe(view)
          expect(reread.question.index).toBe(original.index)
          if (view === 'search') expect(reread.question).toEqual(original)
        },
      ),
    )
  })

  it('are empty if the address is invalid', () => {
    expect(readAddress('#/nowhere?in.price=a..b&in.x&q')).toMatchObject({
      view: 'search',
      question: {
        q: '',
        ranges: new Map([
          ['price', { low: null, high: null }],
          ['x', { low: null, high: null }],
        ]),
      },
    })
  })
})

describe('answers', () => {
  it('take refined facets from their own search, also those without a value', () => {
    const ticked = new Map([
      ['brand', new Set(['a'])],
      ['gone', new Set(['b'])],
    ])
    const base = { hits: [], processingTimeMs: 1 }
    const facets = facetsOf(question({ ticked }), [
      {
        ...base,
        facetDistribution: { brand: { a: 1 }, stars: { 1: 2 } },
        facetStats: { stars: { min: 1, max: 1 } },
      },
      { ...base, facetDistribution: { brand: { a: 1, c: 9 } } },
    ])
    expect(facets.map(({ name }) => name)).toEqual(['brand', 'stars', 'gone'])
    expect(facets[0]?.counts).toEqual({ a: 1, c: 9 })
    expect(facets[1]?.stats).toEqual({ min: 1, max: 1 })
    expect(valuesOf(facets[0]!, new Set(['a']))).toEqual([
      { value: 'a', count: 1 },
      { value: 'c', count: 9 },
    ])
    expect(valuesOf(facets[2]!, new Set(['b']))).toEqual([{ value: 'b', count: 0 }])
  })

  it('have no facets of coordinates; facets without values are listed separately', () => {
    const counts = {
      _geo: {},
      '_geo.lat': { 1: 1 },
      _geojson: {},
      _geology: {},
      gone: {},
      a: { b: 1 },
    }
    const refined = question({ ticked: new Map([['gone', new Set(['x'])]]) })
    const facets = facetsOf(refined, [{ hits: [], processingTimeMs: 1, facetDistribution: counts }])
    const { filled, empty } = partedFacets(refined, facets)
    expect(filled.map(({ name }) => name)).toEqual(['gone', 'a'])
    expect(empty).toEqual(['_geology'])
  })

  it('are split at highlights; the pieces together are the text', () => {
    expect(markedPieces(`a ${mark('b')} c ${mark('d')}`)).toEqual(['a ', 'b', ' c ', 'd', ''])
    expect(markedPieces('plain')).toEqual(['plain'])
    expect(markedPieces(`${MARK_BEGINS}open`)).toEqual([`${MARK_BEGINS}open`])
    const texts = fc.array(fc.constantFrom('a', 'b c', MARK_BEGINS, MARK_ENDS, '<i>'))
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        const pieces = markedPieces(text)
        expect(pieces.length % 2).toBe(1)
        const again = pieces.map((piece, i) => (i % 2 === 1 ? mark(piece) : piece)).join('')
        expect(again).toBe(text)
      }),
    )
  })

  it('show a heading, a text and facts; fields with highlights come first', () => {
    const long = 'a long text that tells in many words what it is about, and more'
    const hit = { id: 7, colour: 'red', name: 'Lamp', text: long, size: { w: 1, tags: ['x', 'y'] } }
    const shown = hitText(
      { ...hit, _formatted: { ...hit, size: mark('1') }, _rankingScore: 1 },
      'id',
    )
    expect(shown.heading).toEqual({ name: 'name', text: 'Lamp' })
    expect(shown.text?.name).toBe('text')
    expect(shown.facts.map(({ name }) => name)).toEqual(['size', 'colour'])
    expect(hitText({ id: 3 }, 'id').heading).toEqual({ name: 'id', text: '3' })
    expect(hitText({}, null)).toEqual({ heading: null, text: null, facts: [] })
    expect(hitText({ a: hit.size }, null).heading?.text).toBe('w: 1 · tags: x, y')
  })

  it('explain a rank by the score of each rule', () => {
    const scores = ruleScores({
      typo: { order: 1, typoCount: 1, maxTypoCount: 2, score: 0.5 },
      words: { order: 0, matchingWords: 2, maxMatchingWords: 2, score: 1 },
      'price:asc': { order: 2, value: 5 },
    })
    expect(scores).toEqual([
      { rule: 'words', score: 1, notes: ['2 of 2 words'] },
      { rule: 'typo', score: 0.5, notes: ['1 typo of at most 2'] },
      { rule: 'price:asc', score: null, notes: ['value 5'] },
    ])
    expect(ruleScores(null)).toEqual([])
    expect(ruleScores({ odd: 3 })).toEqual([])
  })
})

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

describe('tasks', () => {
  it('have an address each, and so has a batch', () => {
    for (const tasks of [
      { task: 5, batch: null },
      { task: null, batch: 7 },
    ]) {
      const place = { view: 'tasks', question: question(), tasks } as const
      expect(readAddress(writeAddress(place)).tasks).toEqual(tasks)
    }
    expect(readAddress('#/tasks?task=x&batch=-1').tasks).toBe(ALL_TASKS)
  })

  it('are listed by index and status, or as the address selects', () => {
    expect(tasksQuery(ALL_TASKS, 'a b', 'failed', 30)).toBe(
      'limit=30&indexUids=a+b&statuses=failed',
    )
    expect(tasksQuery(ALL_TASKS, '', '', 30)).toBe('limit=30')
    expect(tasksQuery({ task: 5, batch: null }, 'a', 'failed', 1)).toBe('limit=1&uids=5')
    expect(tasksQuery({ task: null, batch: 7 }, 'a', '', 1)).toBe('limit=1&batchUids=7')
  })

  it('show the first line of an error, and times', () => {
    expect(firstLine('one\ntwo')).toBe('one')
    expect(firstLine('x'.repeat(200))).toHaveLength(161)
    expect(momentText('2026-01-02T03:04:05Z')).toMatch(/2026/)
    expect([momentText(null), momentText('soon')]).toEqual(['', ''])
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

describe('words', () => {
  it.each([
    ['PT0.0034S', '3.4 ms'],
    ['PT0.25S', '250 ms'],
    ['PT12.34S', '12.3 s'],
    ['PT3M4S', '3 min 4 s'],
    ['PT2H5M1S', '2 h 5 min'],
    ['nonsense', ''],
    [null, ''],
  ])('%s lasts %s', (duration, text) => expect(durationText(duration)).toBe(text))

  it('format counts, sizes and times', () => {
    expect(countText(1234567)).toBe('1,234,567')
    expect([plural(1, 'hit'), plural(0, 'hit'), plural(2, 'index', 'indexes')]).toEqual([
      '1 hit',
      '0 hits',
      '2 indexes',
    ])
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(bytesText)).toEqual([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '5.0 GiB',
    ])
    const now = Date.parse('2026-01-02T00:00:00Z')
    const ago = (date: string | null) => agoText(date, now)
    expect(ago('2026-01-01T23:59:58Z')).toBe('just now')
    expect(ago('2026-01-01T23:59:30Z')).toBe('30 s ago')
    expect(ago('2026-01-01T23:30:00Z')).toBe('30 min ago')
    expect(ago('2026-01-01T20:00:00Z')).toBe('4 h ago')
    expect(ago('2025-12-31T00:00:00Z')).toBe('2 days ago')
    expect([ago(null), ago('soon')]).toEqual(['never', 'soon'])
    expect(camelText('documentAdditionOrUpdate')).toBe('document addition or update')
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
