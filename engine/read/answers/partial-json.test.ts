// The bytes of partial answers as PARTIAL-ANSWERS.md describes them, and the bytes that a reader
// refuses.
import { expect, it } from 'vitest'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { DISTINCT_SENT_MAX, INSTANCE_HEAD_BYTES_MAX } from '../jobs/limits.ts'
import { merge } from './merge.ts'
import { encodeMerged, encodePartial } from './partial-json.ts'
import { type Expected, ReceivedAnswer } from './received-answer.ts'

const HITS = [
  '{"id":9007199254740993,"_federation":{},"a":1.0}',
  '{"_federation":{},"_rankingScore":0.5}',
]

/** Written by hand from the page. */
const HEAD =
  '{"version":2,"total":2,"indexUids":["films"],"lengths":[48,38],"origins":[37,15],' +
  '"indexes":[0,0],"positions":[1,0],"scores":[0.5,1],"externalIds":["9007199254740993","x"],"keys":[[0.5,[1,"é"],[2,null]],[]],' +
  '"pins":[[1,3]],"semantic":[0],"values":[[0,{"genre":["a",1]}]],' +
  '"facets":[["films",[["genre",[["10",1],["9",2]]]],[["year",1.5,6]]]],' +
  '"processingTimeMs":7,"isSemantic":true}'

function bytesOf(head = HEAD, hits = HITS.join('')): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(Buffer.byteLength(head))
  return Buffer.concat([Buffer.from(hits), Buffer.from(head), length])
}

const EXPECTED: Expected = {
  remote: 'b',
  withDetails: false,
  isOwn: false,
  distinctOf: () => 'genre',
  hitsMax: 2,
  indexUids: new Set([asIndexUid('films')]),
  facetsByIndex: { films: ['genre', 'year'] },
}

const read = (bytes: Uint8Array, expected: Partial<Expected> = {}): ReceivedAnswer =>
  new ReceivedAnswer(bytes, { ...EXPECTED, ...expected })

const written = (part: ReceivedAnswer, list: 'hits' | 'pinned'): string => {
  const out = new JsonBuffer()
  part[list].write(0, out)
  return Buffer.from(out.view()).toString()
}

it('carries sums, and names the facets of other documents', () => {
  const head = HEAD.replace('["year",1.5,6]', '["year",1.5,6,9.25,3]').replace(
    '"isSemantic"',
    '"disjunctive":[["films",["genre"]]],"isSemantic"',
  )
  const calendar = { attribute: 'year', calendar: 'year', stats: true } as const
  const facets = ['genre', calendar]
  const part = read(bytesOf(head), { facetsByIndex: { films: facets } })
  const found = part.facetsByIndex.get(asIndexUid('films'))!
  expect(found.stats.get('year')).toEqual({ min: 1.5, max: 6, sums: { sum: 9.25, count: 3 } })
  expect(found.counted.get('genre')).toMatchObject({ isDisjunctive: true, buckets: null })
  expect(found.counted.get('year')).toMatchObject({ isDisjunctive: false, hasSums: true })
  const sent = encodePartial(
    { hits: part.hits, from: 0, to: 1, total: 1 },
    [{ indexUid: asIndexUid('films'), facets: found }],
    () => undefined,
    () => ({ processingTimeMs: 7 }),
  )
  const text = Buffer.from(sent).toString()
  expect(text).toContain('[["year",1.5,6,9.25,3]]')
  expect(text).toContain('"disjunctive":[["films",["genre"]]]')
})

it('is read from the bytes that the page describes', () => {
  const part = read(bytesOf())
  expect([part.total([]), part.total([0, 1, 2])]).toEqual([2, 0])
  expect(part.hits.keyAt(0)).toEqual({
    parts: [
      { kind: 'score', score: 0.5 },
      { kind: 'sort', ascending: false, value: 'é' },
      // Nearest first, as requested.
      { kind: 'sort', ascending: true, value: null },
    ],
    score: 0.5,
    position: 1,
    externalId: '9007199254740993',
  })
  expect([part.hits.length, part.hits.pinAt(0), part.pinned.pinAt(0)]).toEqual([1, null, 3])
  expect(part.hits.distinctAt(0)).toEqual(['string:a', 'number:1'])
  expect([part.hits.isSemanticAt(0), part.isSemantic, part.processingTimeMs]).toEqual([
    true,
    true,
    7,
  ])
  const { distribution, stats } = part.facetsByIndex.get(asIndexUid('films'))!
  expect([...distribution.get('genre')!]).toEqual([
    ['10', 1],
    ['9', 2],
  ])
  expect(stats.get('year')).toEqual({ min: 1.5, max: 6 })
  const origin = '{"indexUid":"films","queriesPosition":1,"weightedRankingScore":0.5,"remote":"b"}'
  expect(written(part, 'hits')).toBe(HITS[0]!.replace('{}', origin))
  const pinned = '{"indexUid":"films","queriesPosition":0,"weightedRankingScore":1.0,"remote":"b"}'
  expect(written(part, 'pinned')).toBe(HITS[1]!.replace('{}', pinned))
})

it('has the bytes that the page describes', () => {
  const part = read(bytesOf(), { remote: null })
  const facets = [...part.facetsByIndex].map(([indexUid, one]) => ({ indexUid, facets: one }))
  const whole = merge([part], { offset: 0, limit: 2, finite: false })
  // Received hits always have an origin; with an empty one they have the original bytes.
  const hits = {
    ...whole.hits,
    keyAt: (at: number) => whole.hits.keyAt(at),
    pinAt: (at: number) => whole.hits.pinAt(at),
    isSemanticAt: (at: number) => whole.hits.isSemanticAt(at),
    externalIdAt: (at: number) => whole.hits.externalIdAt(at),
    indexUidAt: (at: number) => whole.hits.indexUidAt(at),
    valuesAt: (at: number) => whole.hits.valuesAt(at),
    documentAt: (at: number) => whole.hits.documentAt(at),
    distinctAt: (at: number) => whole.hits.distinctAt(at),
    length: 2,
    write: (at: number, out: JsonBuffer) => {
      out.ascii(HITS[at]!)
      return HITS[at]!.indexOf('{}')
    },
  }
  const facts = () => ({ processingTimeMs: 7, isSemantic: true })
  const goOn = (): void => undefined
  const bytes = encodePartial({ ...whole, hits }, facets, goOn, facts)
  // Distances become sorts when they are read.
  const expected = HEAD.replace('[2,null]', '[0,null]')
  expect(Buffer.from(bytes).toString()).toBe(bytesOf(expected).toString())
})

it('has whole numbers that no double equals as texts', () => {
  const [one, next] = ['{"whole":"712345678901234561"}', '{"whole":"712345678901234562"}']
  const head = HEAD.replace('[1,"é"]', `[1,${one}]`)
    .replace('"genre":["a",1]', `"genre":[${one},${next},712345678901234560]`)
    .replace('["year",1.5,6]', `["year",1.5,${next}]`)
  const part = read(bytesOf(head))
  const value = 712345678901234561n
  expect(part.hits.keyAt(0).parts[1]).toEqual({ kind: 'sort', ascending: false, value })
  expect(part.hits.distinctAt(0)).toEqual([
    'number:712345678901234561',
    'number:712345678901234562',
    'number:712345678901234560',
  ])
  const { stats } = part.facetsByIndex.get(asIndexUid('films'))!
  expect(stats.get('year')).toEqual({ min: 1.5, max: value + 1n })
  const all = JSON.parse(written(read(bytesOf(head), { withDetails: true }), 'hits'))
  const sort = { asc: false, value: JSON.parse(one) }
  expect(all._federation.weightedScoreValues[1]).toEqual({ sort })
  const facets = [...part.facetsByIndex].map(([indexUid, facets]) => ({ indexUid, facets }))
  const page = { hits: part.hits, from: 0, to: 1, total: 1 }
  const bytes = encodePartial(
    page,
    facets,
    () => undefined,
    () => ({ processingTimeMs: 7 }),
  )
  const text = Buffer.from(bytes).toString()
  for (const sent of [`[1,${one}]`, `["year",1.5,${next}]`, `[${one},${next},71234567890123`]) {
    expect(text).toContain(sent)
  }
})

it('writes everything that another merging instance needs', () => {
  const all = JSON.parse(written(read(bytesOf(), { withDetails: true }), 'hits'))
  expect(all._federation).toMatchObject({
    queriesPosition: 1,
    extra_document: { genre: ['a', 1] },
    semantic: true,
  })
  expect(all._federation.weightedScoreValues).toHaveLength(3)
})

it('refuses to merge a merged answer again', () => {
  expect(() => read(encodeMerged({ total: 1 }))).toThrow('sort keys')
})

it('ignores unknown members', () => {
  const more = HEAD.replace('{"version":2,', '{"version":2,"later":{"a":[]},')
  expect(read(bytesOf(more)).total([])).toBe(2)
})

it('refuses another version and names it', () => {
  const newer = bytesOf(HEAD.replace('"version":2', '"version":3'))
  expect(() => read(newer)).toThrow(VersionError)
})

const two = (hit: string): string => `${hit}${HITS[1]}`

it.each<[string, Buffer, Partial<Expected>?]>([
  ['nothing', Buffer.alloc(0)],
  ['a length beyond the bytes', Buffer.from([9, 0, 0, 0])],
  ['a head that is cut', bytesOf(HEAD.slice(0, -1))],
  ['a hit that is cut', bytesOf(HEAD, HITS.join('').slice(0, -1))],
  ['bytes behind the last hit', bytesOf(HEAD, `${HITS.join('')} `)],
  ['lists of unequal length', bytesOf(HEAD.replace('"scores":[0.5,1]', '"scores":[0.5]'))],
  ['hits that were merged before', bytesOf(HEAD.replace('"keys"', '"others"'))],
  ['a total below zero', bytesOf(HEAD.replace('"total":2', '"total":-1'))],
  ['a number in other words', bytesOf(HEAD.replace('[1,"é"]', '[1,{"whole":"12e5"}]'))],
  ['a bound without digits', bytesOf(HEAD.replace('1.5,6', '1.5,{"whole":""}'))],
  ['a kind of key that there is not', bytesOf(HEAD.replace('[2,null]', '[4,null]'))],
  ['an index that was not requested', bytesOf(), { indexUids: new Set([asIndexUid('books')]) }],
  ['facets of another index', bytesOf(), { facetsByIndex: { books: ['genre', 'year'] } }],
  ['facets that were not requested', bytesOf(), { facetsByIndex: { films: ['genre'] } }],
  ['more hits than requested', bytesOf(), { hitsMax: 1 }],
])('refuses %s', (_, bytes, expected) => {
  expect(() => read(bytes, expected)).toThrow(CorruptionError)
})

it.each<[string, Buffer]>([
  ['a hit that is a list', bytesOf(HEAD, two(`[${'1'.repeat(46)}]`))],
  ['a hit that is not JSON', bytesOf(HEAD, two(HITS[0]!.replace('"a":1.0', '"a":1..')))],
  ['an origin elsewhere', bytesOf(HEAD.replace('[37,15]', '[36,15]'))],
  ['an origin before the hit', bytesOf(HEAD.replace('[37,15]', '[37,2]'))],
  [
    'another member in its place',
    bytesOf(HEAD, two('{"i":9007199254740993,"_xxxxxxxxxx":{},"a":1.0}'.padEnd(48))),
  ],
])('shows no hit of an answer with %s', (fault, bytes) => {
  const part = read(bytes)
  const [good, bad] = fault.endsWith('before the hit')
    ? (['hits', 'pinned'] as const)
    : (['pinned', 'hits'] as const)
  expect(written(part, good)).toContain('"remote":"b"')
  expect(() => written(part, bad)).toThrow(CorruptionError)
  expect(() => part.checkHits()).toThrow(CorruptionError)
  expect(() => read(bytes, { isOwn: true }).checkHits()).not.toThrow()
})

it('with any bit changed is refused or read as an answer', () => {
  const bytes = bytesOf()
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    try {
      JSON.parse(written(read(changed), 'hits'))
    } catch (error) {
      if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
    }
  }
})

it.each([
  [INSTANCE_HEAD_BYTES_MAX, `expected ${INSTANCE_HEAD_BYTES_MAX} bytes of a head`],
  [INSTANCE_HEAD_BYTES_MAX + 1, `a head of ${INSTANCE_HEAD_BYTES_MAX} bytes`],
])('has a head of bounded length: %i bytes', (length, words) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(length)
  expect(() => read(bytes)).toThrow(words)
})

it('has a bounded number of documents with distinct values', () => {
  const headOf = (count: number): string =>
    HEAD.replace(
      '"isSemantic"',
      `"distinct":${JSON.stringify({ field: 'genre', documents: Array(count).fill(['x', {}]) })},"isSemantic"`,
    )
  expect(read(bytesOf(headOf(DISTINCT_SENT_MAX))).distinct?.documents).toHaveLength(
    DISTINCT_SENT_MAX,
  )
  expect(() => read(bytesOf(headOf(DISTINCT_SENT_MAX + 1)))).toThrow('distinct documents')
})
