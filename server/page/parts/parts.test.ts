// Queries, addresses, tasks and words of the page, without a browser.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { question } from '../test-question.ts'
import { readAddress, VIEWS, writeAddress } from './address.ts'
import { filterOf, matchingElements, type Range, withTick } from './filters.ts'
import { countsFor, type Facet, histogramsFor, intervalOf, searchFor, withCounts } from './query.ts'
import { FUSIONS, STRATEGIES } from './search-options.ts'
import { ALL_TASKS, firstLine, momentText, tasksQuery } from './task-model.ts'
import { agoText, bytesText, camelText, countText, durationText, plural } from './words.ts'

describe('questions', () => {
  it('become filters: values are alternatives, quotes are escaped', () => {
    const filters = filterOf(
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
    expect(filters).toEqual([
      '"brand" IN ["Ostwind", "a \\"b\\" \\\\c"]',
      '"price" >= 5',
      '"stars" >= 1 AND "stars" <= 3',
    ])
  })

  it('ask for hits with marks and scores, in the order that was chosen', () => {
    const shown = searchFor(question({ q: 'lamp', sort: 'price:asc' }), 20, false)
    expect(shown).toMatchObject({
      offset: 20,
      sort: ['price:asc'],
      showRankingScore: true,
      showRankingScoreDetails: true,
      showCorrection: false,
    })
    const first = searchFor(question(), 0, false)
    expect(first).toMatchObject({ offset: 0, showCorrection: true })
    expect(first).not.toHaveProperty('sort')
  })

  it('are hybrid if an embedder was chosen, for hits and for histograms', () => {
    const hybrid = { embedder: 'e', semanticRatio: 0.25 }
    const asked = question({ embedder: 'e', ratio: 0.25 })
    expect(searchFor(asked, 0, true)).toMatchObject({ hybrid })
    const facet = { name: 'n', counts: {}, stats: { min: 0, max: 2 } }
    expect(histogramsFor(asked, [facet])).toMatchObject({ hybrid, limit: 0 })
    expect(searchFor(question(), 0, true)).not.toHaveProperty('hybrid')
  })

  it('send options that differ from the defaults', () => {
    const plain = searchFor(question({ embedder: 'e' }), 0, false)
    for (const name of ['matchingStrategy', 'querySyntax', 'countTotal'])
      expect(plain).not.toHaveProperty(name)
    expect(plain['hybrid']).not.toHaveProperty('fusion')
    const options = { strategy: 'any', isBoolean: true, isExact: true, fusion: 'rrf' } as const
    const asked = question({ options, embedder: 'e' })
    const words = { matchingStrategy: 'any', querySyntax: 'boolean' }
    const hybrid = { embedder: 'e', semanticRatio: 0.5, fusion: 'rrf' }
    expect(searchFor(asked, 0, true)).toMatchObject({ ...words, hybrid, countTotal: true })
    // The first page has counted.
    expect(searchFor(asked, 20, false)).not.toHaveProperty('countTotal')
    const facet = { name: 'n', counts: {}, stats: { min: 0, max: 2 } }
    expect(histogramsFor(asked, [facet])).toMatchObject({ ...words, hybrid })
  })

  it('request the counts of refined facets without their own filters', () => {
    const ticked = new Map([
      ['brand', new Set(['x'])],
      ['category', new Set(['y'])],
    ])
    const first = searchFor(question({ ticked }), 0, true)
    expect(first['filter']).toHaveLength(2)
    expect(first['disjunctiveFacets']).toEqual(['brand', 'category'])
    expect(first['facets']).toEqual([{ attribute: '*', order: 'count' }])
    expect(searchFor(question({ ticked }), 20, false)).not.toHaveProperty('facets')
  })

  it('change by ticks', () => {
    const one = question({ ticked: withTick(question(), 'a', 'x', true) })
    expect(filterOf(one)).toEqual(['"a" IN ["x"]'])
    expect(filterOf(question({ ticked: withTick(one, 'a', 'x', false) }))).toEqual([])
  })

  describe('on objects in lists', () => {
    const asked = question({
      ticked: new Map([
        ['shop', new Set(['x'])],
        ['variants.color', new Set(['Red'])],
      ]),
      ranges: new Map([['variants.size', { low: 40, high: 42 }]]),
    })
    const inside = '"color" IN ["Red"] AND "size" >= 40 AND "size" <= 42'

    it('make one condition on one object', () => {
      expect(filterOf(asked)).toEqual(['"shop" IN ["x"]', `"variants"[${inside}]`])
      expect(filterOf(asked, 'variants.color')[1]).toBe('"variants"["size" >= 40 AND "size" <= 42]')
      const one = question({ ticked: new Map([['a.b.c', new Set(['x'])]]) })
      expect(filterOf(one)).toEqual(['"a.b"["c" IN ["x"]]'])
      expect(filterOf(one, 'a.b.c')).toEqual([])
    })

    it('request the counts of matching objects, without the own condition of each facet', () => {
      const first = searchFor(asked, 0, true)
      expect(first).toMatchObject({ facetScope: 'match', disjunctiveFacets: ['shop'] })
      expect(searchFor(question(), 0, true)).not.toHaveProperty('facetScope')
      const sort = 'variants.size:asc'
      expect(searchFor({ ...asked, sort }, 0, true)).toMatchObject({ sortScope: 'match' })
      expect(first).not.toHaveProperty('sortScope')
      expect(searchFor(question({ sort }), 0, true)).not.toHaveProperty('sortScope')
      expect(countsFor(asked).map(({ facets }) => facets)).toEqual([
        [{ attribute: 'variants.color', order: 'count' }],
        [{ attribute: 'variants.size', order: 'count' }],
      ])
      expect(countsFor(asked)[1]).toMatchObject({
        filter: ['"shop" IN ["x"]', '"variants"["color" IN ["Red"]]'],
        facetScope: 'match',
        limit: 0,
      })
      expect(countsFor(question({ ticked: new Map([['a.b', new Set(['x'])]]) }))).toEqual([])
      const answer = { hits: [], processingTimeMs: 1 }
      const [a, b, c] = [{ x: 1 }, { x: 2 }, { y: 3 }]
      const merged = withCounts({ ...answer, facetDistribution: { a, c } }, [
        { ...answer, facetDistribution: { a: b } },
      ])
      expect(merged.facetDistribution).toEqual({ a: b, c })
      expect(withCounts(answer, [])).toBe(answer)
    })

    it('name the places of those that meet it', () => {
      const variants = [
        { color: 'blue', size: 41 },
        { color: ['red', 'white'], size: [12, 42] },
        [{ color: 'réd', size: 40 }],
        { color: 'red', size: '41' },
        { color: 'red' },
        null,
      ]
      expect([...matchingElements(asked, { variants })]).toEqual(['variants/1', 'variants/2/0'])
      expect(matchingElements(asked, { variants: variants[1] })).toEqual(new Set())
      expect(matchingElements(question(), { variants })).toEqual(new Set())
      const deep = question({ ticked: new Map([['a.b.c', new Set(['1'])]]) })
      const document = { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: { c: 1 } }, 5] }
      expect([...matchingElements(deep, document)]).toEqual(['a/0/b/0'])
    })
  })

  it('request a histogram of each facet of different numbers', () => {
    const facet = (name: string, min: number, max: number): Facet => {
      return { name, counts: {}, stats: { min, max } }
    }
    const facets = [facet('year', 1900, 2023), facet('one', 5, 5), facet('score', 0.1, 0.9)]
    const text = { name: 'brand', counts: { a: 1 }, stats: null }
    expect(histogramsFor(question(), [...facets, text])).toMatchObject({
      facets: [
        { attribute: 'year', histogram: { interval: 10 }, disjunctive: true },
        { attribute: 'score', histogram: { interval: 0.05 } },
      ],
    })
    expect(histogramsFor(question(), [text])).toBe(null)
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (width) => {
        const bars = width / intervalOf(facet('any', 0, width))
        expect(bars).toBeGreaterThan(9)
        expect(bars).toBeLessThan(24.1)
      }),
    )
  })

  it('are written to an address, and read from it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 })
    const number = fc.oneof(
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const options = fc.record({
      strategy: fc.constantFrom(...STRATEGIES),
      isBoolean: fc.boolean(),
      isExact: fc.boolean(),
      fusion: fc.constantFrom(...FUSIONS),
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...VIEWS),
        fc.record({ index: text, q: text, sort: text, embedder: text, options }),
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
    const ratios = ['', '&ratio=x', '&ratio=0.25', '&ratio=7', '&ratio=-1'].map(
      (ratio) => readAddress(`#/search?by=e${ratio}`).question.ratio,
    )
    expect(ratios).toEqual([0.5, 0.5, 0.25, 1, 0])
    const shared = { view: 'search', tasks: ALL_TASKS } as const
    const written = { ...shared, question: question({ embedder: 'e', ratio: 0.25 }) }
    expect(writeAddress(written)).toBe('#/search?index=wares&by=e&ratio=0.25')
    expect(writeAddress({ ...shared, question: question({ index: '' }) })).toBe('#/search')
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
