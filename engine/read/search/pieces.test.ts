// The small parts of a search: pages, kinds, JSON text, time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexNo, asIndexUid } from '../../../format/ids.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { Canceled, FEATURES, type Features, type SearchRequest } from '../../model/index.ts'
import { defaultSettings, encodeSettings } from '../../settings/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { MemberWriter, writeCounts, writeText, writeValue } from '../answers/json-text.ts'
import { pageMembers, windowOf } from '../answers/pagination.ts'
import { durationText, SearchControl, StepTimes } from '../jobs/control.ts'
import { isBlank, kindOf } from '../jobs/kind.ts'
import { SearchInPlace } from '../pool/in-place.ts'

const ALL_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features

const requestWith = (request: Partial<SearchRequest>): SearchRequest => ({
  ...PLAIN_SEARCH,
  ...request,
})

describe('pages', () => {
  it.each([
    [
      { offset: 8, limit: 5 },
      { offset: 8, limit: 2, finite: false },
    ],
    [
      { offset: 30, limit: 5 },
      { offset: 10, limit: 0, finite: false },
    ],
    [
      { page: 3, hitsPerPage: 4 },
      { offset: 8, limit: 2, finite: true },
    ],
    [
      { page: 0, hitsPerPage: 4 },
      { offset: 0, limit: 0, finite: true },
    ],
    [{ page: 1 }, { offset: 0, limit: 10, finite: true }],
    [
      { hitsPerPage: 3, offset: 9, limit: 1 },
      { offset: 0, limit: 3, finite: true },
    ],
    [{ hitsPerPage: 0 }, { offset: 0, limit: 0, finite: true }],
  ])('%j of ten hits at most are %j', (request, page) => {
    expect(windowOf(requestWith(request), 10)).toEqual(page)
  })

  it('are adjacent and cover all reachable hits', () => {
    const anyCase = [fc.nat(40), fc.integer({ min: 1, max: 9 }), fc.nat(40)] as const
    fc.assert(
      fc.property(...anyCase, (total, hitsPerPage, totalMax) => {
        const { totalPages, totalHits } = pageMembers(requestWith({ hitsPerPage }), total)
        expect(totalHits).toBe(total)
        let next = 0
        for (let page = 1; page <= totalPages!; page++) {
          const { offset, limit } = windowOf(requestWith({ page, hitsPerPage }), totalMax)
          expect(offset).toBe(Math.min(next, totalMax))
          next += hitsPerPage
          expect(offset + limit).toBe(Math.min(next, totalMax))
        }
        expect(next).toBeGreaterThanOrEqual(total)
      }),
    )
  })

  it('are described in the form of the request', () => {
    expect(pageMembers(requestWith({ offset: 5, limit: 7 }), 3)).toEqual({
      limit: 7,
      offset: 5,
      estimatedTotalHits: 3,
    })
    expect(pageMembers(requestWith({ page: 3, hitsPerPage: 4 }), 25)).toEqual({
      hitsPerPage: 4,
      page: 3,
      totalPages: 7,
      totalHits: 25,
    })
  })
})

describe('the kind of a search', () => {
  const hybrid = (semanticRatio: number) => ({ hybrid: { embedder: 'e', semanticRatio } })
  it.each([
    [{}, 'keyword'],
    [{ q: 'a' }, 'keyword'],
    [{ q: 'a', ...hybrid(0) }, 'keyword'],
    [{ q: ' ', ...hybrid(0.5) }, 'keyword'],
    [{ q: 'a', ...hybrid(0.5) }, 'hybrid'],
    [{ q: 'a', ...hybrid(1) }, 'semantic'],
    [{ q: ' ', vector: Float64Array.of(1), ...hybrid(0.5) }, 'semantic'],
    [{ media: {}, ...hybrid(0.5) }, 'semantic'],
    [{ q: 'a', vector: Float64Array.of(1), ...hybrid(0) }, 'keyword'],
  ])('of %j is %s', (request, kind) => {
    expect(kindOf(requestWith(request), ALL_FEATURES)).toBe(kind)
  })

  it('is refused if parameters contradict each other', () => {
    expect(() => kindOf(requestWith({ vector: Float64Array.of(1) }), ALL_FEATURES)).toThrow(
      'missing `hybrid`',
    )
    expect(() => kindOf(requestWith({ media: 1 }), ALL_FEATURES)).toThrow('missing `hybrid`')
    expect(() =>
      kindOf(requestWith({ media: 1, vector: Float64Array.of(1), ...hybrid(1) }), ALL_FEATURES),
    ).toThrow('both')
  })

  it('distinguishes blank texts from words', () => {
    expect([null, '', ' \t', '\u00a0\u3000', '\u200b', 'a'].map(isBlank)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('JSON text', () => {
  const written = (write: (out: JsonBuffer) => void): string => {
    const out = new JsonBuffer(4)
    write(out)
    return Buffer.from(out.finish()).toString()
  }

  it('parses to the same value', () => {
    const anyWhole = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(anyWhole, fc.jsonValue({ maxDepth: 2 }), (text, value) => {
        expect(JSON.parse(written((out) => writeText(out, text)))).toBe(text)
        const back = JSON.parse(written((out) => writeValue(out, value)))
        expect(back).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('keeps the order of members', () => {
    const counts = new Map([
      ['b', 1],
      ['10', 2],
      ['2', 3],
      ['"', 4],
    ])
    expect(written((out) => writeCounts(out, counts))).toBe('{"b":1,"10":2,"2":3,"\\"":4}')
    expect(written((out) => writeCounts(out, new Map()))).toBe('{}')
    const nested = written((out) => {
      const members = new MemberWriter(out)
      new MemberWriter(members.begin('a')).end()
      members.value('b', null)
      members.end()
    })
    expect(nested).toBe('{"a":{},"b":null}')
  })
})

describe('a search in place', () => {
  it('releases its view after success and failure', async () => {
    const searching = new SearchInPlace(new FakeDisk().mount())
    const ref: ViewRef = {
      index: asIndexNo(1),
      uid: asIndexUid('a'),
      sequence: 1,
      primaryKey: null,
      fields: ['id'],
      settings: encodeSettings(defaultSettings()),
      segments: [],
    }
    let released = 0
    const view = { ref, release: () => void released++ }
    const features = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
    const ask = { kind: 'search', features, requestUid: 'r', queryUid: null, sentAt: 0 } as const
    const bytes = await searching.run(view, { ...ask, request: requestWith({ q: 'a' }) })
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ hits: [], query: 'a' })
    const request = requestWith({ filter: 'x = 1' })
    await expect(searching.run(view, { ...ask, request })).rejects.toThrow('not filterable')
    expect(released).toBe(2)
    searching.forget([{ index: asIndexNo(1), sequence: 1 }], [])
    await expect(searching.run(view, { ...ask, request: requestWith({}) })).resolves.toBeDefined()
  })
})

describe('time', () => {
  it.each([
    [0.2953, '295.30µs'],
    [3.414, '3.41ms'],
    [1200, '1.20s'],
  ])('of %f milliseconds is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })

  it('is summed by step', () => {
    const times = new StepTimes()
    times.add('a', 2)
    times.done('b')
    expect([...times.texts().keys()]).toEqual(['a', 'b'])
    expect(times.texts().get('a')).toBe('2.00ms')
  })

  it('ends a search when it is up, or when the client has gone', () => {
    const never = () => false
    expect(new SearchControl(Number.POSITIVE_INFINITY, never).isLate()).toBe(false)
    expect(new SearchControl(0, never).isLate()).toBe(true)
    const canceled = new SearchControl(Number.POSITIVE_INFINITY, () => true)
    expect(() => canceled.isLate()).toThrow(Canceled)
  })
})
