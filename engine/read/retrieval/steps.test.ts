// The steps around a ranking, each alone: time limits, metadata, pins, weights of documents, and
// documents in place of their ids.
import { describe, expect, it } from 'vitest'
import { RecordFields, RecordWriter } from '../../../format/documents/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { RuleActions, ScaleAction } from '../../model/index.ts'
import { FOREIGN_HITS_MAX, SEARCHES_MS_MAX, SearchControl } from '../jobs/index.ts'
import { type AppliedRule, PINS_MAX, SCALE_GROUPS_MAX, SCALES_MAX } from '../search-rules/index.ts'
import { readFilter } from './candidates.ts'
import { type ForeignTarget, Hydrator } from './foreign.ts'
import { pinsOf, windowBefore } from './pins.ts'
import { controlOf, metadataOf, ofShards, timeOfAll } from './prepare.ts'
import { scalesOf } from './scales.ts'
import { valueOrder } from './value-rules.ts'

const uid = asIndexUid('shop')
const UNHURRIED = new SearchControl(1e9, () => false)
const FEATURES = {} as never

describe('the time of a search', () => {
  const cutoffOf = (searchCutoffMs: number | null, mostMs?: number): [boolean, number] => {
    const control = controlOf({ settings: { searchCutoffMs } } as never, () => false, mostMs)
    return [control.isLate(), control.wholeMs]
  }
  it('is its cutoff, 1500 ms without one, and at most what is left', () => {
    const found = [cutoffOf(0), cutoffOf(60_000), cutoffOf(null), cutoffOf(60_000, 0)]
    expect(found).toEqual([
      [true, 500],
      [false, 60_000],
      [false, 1500],
      [true, 500],
    ])
  })

  it('is a part of the time of all', () => {
    const left = timeOfAll()
    const first = left()
    expect([first > 0, first <= SEARCHES_MS_MAX, left() <= first]).toEqual([true, true, true])
  })

  it('ends a filter with a fault that says why', () => {
    const filter = 'a = 1'
    const busy = Object.assign(() => false, { isPreempted: () => true })
    const read = (control: SearchControl, endpoint: 'search' | 'documents' = 'search') =>
      readFilter(Array(5000).fill(filter), endpoint, uid, FEATURES, control)
    expect(read(UNHURRIED)?.kind).toBe('and')
    expect(() => read(new SearchControl(1e9, busy))).toThrow(
      expect.objectContaining({ code: 'too_many_search_requests' }),
    )
    let now = 0
    const late = new SearchControl(
      500,
      () => false,
      () => (now += 400),
    )
    expect(() => read(late, 'documents')).toThrow(
      expect.objectContaining({ code: 'invalid_document_filter' }),
    )
  })

  it('is not spent on documents of other indexes in an export', () => {
    const read = (endpoint: 'search' | 'export') =>
      readFilter('_foreign(a, b = 1)', endpoint, uid, { foreignKeys: true } as never, UNHURRIED)
    expect(read('search')?.kind).toBe('foreign')
    expect(() => read('export')).toThrow()
  })
})

it.each<[Parameters<typeof metadataOf>, object]>([
  [[uid, null, null, 'u', undefined, null], { queryUid: 'u', indexUid: 'shop' }],
  [
    [uid, 'id', '', 'u', { self: null } as never, null],
    { query: '', queryUid: 'u', indexUid: 'shop', primaryKey: 'id' },
  ],
  [
    [uid, null, 'q', 'u', { self: 'r' } as never, { satisfiesActiveCondition: true }],
    {
      query: 'q',
      queryUid: 'u',
      indexUid: 'shop',
      remote: 'r',
      inlineRuleConditionOutcomes: { satisfiesActiveCondition: true },
    },
  ],
])('the metadata of %j', (given, metadata) => {
  expect(metadataOf(...given)).toEqual(metadata)
})

it('no shards have no documents', () => {
  expect(ofShards({} as never, [], IdSet.range(0, 3)).size).toBe(0)
})

it.each<[string[], string[] | null]>([
  [['words', 'price:asc'], ['price asc']],
  [
    ['sort', 'price:asc', 'size:desc'],
    ['price desc', 'id asc', 'size desc'],
  ],
  [
    ['price:asc', 'sort', 'sort'],
    ['price asc', 'id asc'],
  ],
  [[], []],
])(
  'with the ranking rules %j, hits without words are in the order of %j',
  (rankingRules, order) => {
    const view = { settings: { rankingRules } } as never
    const field = (name: string, direction: 'asc' | 'desc') =>
      ({ kind: 'field', field: name, direction }) as const
    const sort = [field('price', 'desc'), field('id', 'asc')]
    const shown = valueOrder(view, sort)?.map((key) => `${key.field} ${key.direction}`)
    expect(shown).toEqual(order)
    const place = { kind: 'geo', latitude: 0, longitude: 0, direction: 'asc' } as const
    const isPlaced = rankingRules.includes('sort')
    expect(valueOrder(view, [...sort, place] as never) === null).toBe(isPlaced)
  },
)

/** A view whose documents 0 to 1999 have their numbers as external ids. */
const view = {
  ref: { uid },
  view: {
    idOf: (id: Uint8Array) => {
      const number = Number(Buffer.from(id).toString())
      return number < 2000 ? number : -1
    },
  },
} as never
const ALL = IdSet.range(0, 2000)
const rule = (actions: RuleActions, name = 'r'): AppliedRule =>
  ({ uid: name, actions }) as AppliedRule

describe('pins', () => {
  const of = (positions: readonly (readonly [id: number, position: number])[], universe = ALL) =>
    pinsOf(
      view,
      [rule({ pin: positions.map(([id, position]) => ({ id: String(id), position })) })],
      universe,
    )

  it('are in the order of their positions, each document once, and present', () => {
    const { hits, ids } = of([
      [7, 3],
      [5, 1],
      [7, 0],
      [6, 1],
      [2500, 0],
    ])
    expect(hits.map(({ id, pin }) => [id, pin])).toEqual([
      [5, 1],
      [6, 1],
      [7, 3],
    ])
    expect([...ids.toArray()]).toEqual([5, 6, 7])
    expect(of([[7, 3]], IdSet.of([6])).hits).toEqual([])
  })

  it('are at most a hundred', () => {
    const { hits } = of(Array.from({ length: PINS_MAX + 1 }, (_, id) => [id, 0] as const))
    expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: PINS_MAX }, (_, id) => id))
  })

  it('need the hits before their page', () => {
    const window = { offset: 3, limit: 4, finite: true }
    expect(windowBefore(window, of([]))).toBe(window)
    expect(windowBefore(window, of([[1, 0]]))).toEqual({ offset: 0, limit: 7, finite: true })
  })
})

describe('the weights of documents', () => {
  const of = (scale: readonly ScaleAction[], control = UNHURRIED, universe = ALL) =>
    scalesOf(view, [rule({ scale: [...scale] })], [], universe, FEATURES, control)
  const groupsOf = (found: ReturnType<typeof of>): [number, number][] =>
    found!.groups.map(({ ids, weight }): [number, number] => [weight, ids.size])
  const ids = (...some: number[]): string[] => some.map(String)

  it('are multiplied, and separate those that are hidden', () => {
    const found = of([
      { ids: ids(1, 2, 3), weight: 2 },
      { ids: ids(2, 3), weight: 0.5 },
      { ids: ids(3, 4), weight: -1 },
      { ids: ids(5), weight: 1 },
      { ids: ids(6, 7), weight: Number.MAX_VALUE },
      { ids: ids(7), weight: 2 },
    ])
    expect(groupsOf(found)).toEqual([
      [2, 1],
      [Number.MAX_VALUE, 2],
    ])
    expect([...found!.hidden.toArray()]).toEqual([3, 4])
    expect([1, 3, 5, 8].map((id) => found!.rulesOf(id))).toEqual([['r'], ['r'], ['r'], []])
    expect(found!.factors).toBeNull()
  })

  it('are those of documents that there are', () => {
    expect([of([]), of([{ ids: ids(3000), weight: 2 }])]).toEqual([null, null])
    expect(of([{ ids: ids(1), weight: 2 }], UNHURRIED, IdSet.of([2]))).toBeNull()
    expect(groupsOf(of([{ weight: 3 }]))).toEqual([[3, 2000]])
  })

  it('are read from at most a hundred actions', () => {
    const hundred = Array.from({ length: SCALES_MAX - 1 }, () => ({ ids: ids(1), weight: 1 }))
    const doubled = { ids: ids(2), weight: 2 }
    expect(groupsOf(of([...hundred, doubled, { ids: ids(3), weight: 3 }]))).toEqual([[2, 1]])
    const other = { ids: ids(3), weight: 3, indexUid: asIndexUid('other') }
    expect(groupsOf(of([...hundred, other, doubled]))).toEqual([[2, 1]])
  })

  it('are at most 64 different ones', () => {
    const all = Array.from({ length: SCALE_GROUPS_MAX + 1 }, (_, id) => ({
      ids: ids(id),
      weight: id + 2,
    }))
    const found = of([...all, { ids: ids(1), weight: 1 }])
    expect(found!.groups).toHaveLength(SCALE_GROUPS_MAX)
    expect([63, 64].map((id) => found!.rulesOf(id))).toEqual([['r'], []])
  })

  it('are looked up while there is time', () => {
    const late = new SearchControl(0, () => false)
    const many = [{ ids: Array.from({ length: 1500 }, (_, id) => String(id)), weight: 2 }]
    expect(groupsOf(of(many, late))).toEqual([[2, 1023]])
    expect(groupsOf(of(many))).toEqual([[2, 1500]])
  })
})

describe('documents in place of ids', () => {
  /** Writes `<id>`, except for the id 0. */
  const target: ForeignTarget = {
    write: (id, out) => {
      const text = Buffer.from(id).toString()
      if (text !== '0') out.append(Buffer.from(`<${text}>`), 0, text.length + 2)
      return text !== '0'
    },
  }
  const hydrator = () =>
    new Hydrator(
      new Map([
        ['a', target],
        ['b.c', target],
        ['.x', target],
      ]),
    )
  const shown = (json: string, by = hydrator()): string => {
    const out = new JsonBuffer()
    by.hit(Buffer.from(json), 0, out)
    return Buffer.from(out.view()).toString()
  }

  it.each([
    ['{"a":1,"d":1}', '{"a":<1>,"d":1}'],
    ['{"a":"x\\"y","b":2}', '{"a":<x"y>,"b":2}'],
    ['{"a":-1.5,"n":-1}', '{"a":<-1.5>,"n":-1}'],
    ['{"a":0}', '{"a":0}'],
    ['{"a":[1,[9,"2"],null,true,{"c":1},0]}', '{"a":[<1>,[<9>,<2>],null,true,{"c":1},0]}'],
    ['{"a":[]}', '{"a":[]}'],
    ['{"":{"x":1,"y":2}}', '{"":{"x":<1>,"y":2}}'],
    ['{"b":{"c":1,"d":1},"b.c":2}', '{"b":{"c":<1>,"d":1},"b.c":<2>}'],
    ['{"b":[{"c":[1]},{"d":{"c":1}},3]}', '{"b":[{"c":[<1>]},{"d":{"c":1}},3]}'],
    ['{"_formatted":{"a":1,"b":{"c":2}},"x":1}', '{"_formatted":{"a":<1>,"b":{"c":<2>}},"x":1}'],
    ['{"_formatted":{"_formatted":{"a":1}}}', '{"_formatted":{"_formatted":{"a":1}}}'],
  ])('%s becomes %s', (json, expected) => {
    expect(shown(json)).toBe(expected)
  })

  it('are as many as an answer may hold', () => {
    const some = hydrator()
    const ones = (count: number): string => new Array(count).fill(1).join()
    shown(`{"a":[${ones(FOREIGN_HITS_MAX - 1)}]}`, some)
    expect([shown('{"a":[1,2]}', some), shown('{"b":{"c":3}}', some)]).toEqual([
      '{"a":[<1>,2]}',
      '{"b":{"c":3}}',
    ])
  })

  it('stand in records where a field is shown', () => {
    const writer = new RecordWriter()
    writer.begin()
    const values = ['1', '{"c":2}', '3']
    values.forEach((json, field) => {
      writer.add(field, Buffer.from(json))
    })
    const stored = writer.finish().slice()
    const textsWith = (isShown: (field: number) => boolean): string[] => {
      const fields = new RecordFields()
      fields.read(stored)
      const made = new RecordFields()
      made.read(hydrator().record(fields, ['a', 'b', 'd'], isShown))
      return Array.from({ length: made.count }, (_, i) => Buffer.from(made.value(i)).toString())
    }
    expect(textsWith(() => true)).toEqual(['<1>', '{"c":<2>}', '3'])
    expect(textsWith((field) => field !== 0)).toEqual(['1', '{"c":<2>}', '3'])
  })
})
