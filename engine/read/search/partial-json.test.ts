// The bytes of partial answers, as the page shows them, and what a reader refuses.
import { expect, it } from 'vitest'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { KeyPart } from './merge-order.ts'
import { decodePartial, encodePartial } from './partial-json.ts'
import { ReceivedAnswer } from './received-answer.ts'

const PARTS: readonly KeyPart[] = [
  { kind: 'score', score: 0.5 },
  { kind: 'sort', ascending: true, value: 'é' },
  { kind: 'geo', ascending: true, distance: null },
]
const HITS = ['{"id":9007199254740993,"b":1,"a":1.0}', '{"id":2}']
const hit = (bytes: string, pin: number | null) => ({
  key: { parts: PARTS, score: 0.5, position: 1 },
  document: 7,
  pin,
  distinct: ['=a'],
  bytes: bytes.length,
})

const ANSWER = new ReceivedAnswer(
  {
    indexUid: 'films',
    total: 2,
    degraded: false,
    hits: [hit(HITS[0]!, null)],
    pinned: [hit(HITS[1]!, 3)],
    facets: {
      distribution: new Map([['genre', new Map([['10', 1] as const, ['9', 2] as const])]]),
      stats: new Map([['year', { min: 1.5, max: 6 }]]),
    },
  },
  HITS.map((text) => Buffer.from(text)),
)

/** Written by hand from the page. */
const KEY =
  '{"parts":[{"kind":"score","score":0.5},{"kind":"sort","ascending":true,"value":"é"},' +
  '{"kind":"geo","ascending":true,"distance":null}],"score":0.5,"position":1}'
const HEAD =
  '{"version":1,"indexUid":"films","total":2,"degraded":false,' +
  `"hits":[{"key":${KEY},"document":7,"pin":null,"distinct":["=a"],"bytes":37}],` +
  `"pinned":[{"key":${KEY},"document":7,"pin":3,"distinct":["=a"],"bytes":8}],` +
  '"facets":{"distribution":[["genre",[["10",1],["9",2]]]],"stats":[["year",1.5,6]]}}'
const GOLDEN = `${HEAD}\n${HITS.join('')}`

const read = (text: string) => decodePartial(Buffer.from(text))

it('has the bytes that the page describes, and is read back from them', () => {
  expect(Buffer.from(encodePartial(ANSWER)).toString()).toBe(GOLDEN)
  const answer = read(GOLDEN)
  expect(answer).toMatchObject({ indexUid: 'films', degraded: false, skipped: 0 })
  expect([answer.total([]), answer.total([0, 1, 2])]).toEqual([2, 0])
  expect(answer.hits.keyAt(0)).toEqual({ parts: PARTS, score: 0.5, position: 1 })
  expect([answer.hits.pinAt(0), answer.pinned.pinAt(0)]).toEqual([null, 3])
  expect([...answer.facets([])!.distribution.get('genre')!]).toEqual([
    ['10', 1],
    ['9', 2],
  ])
  const out = new JsonBuffer()
  answer.hits.write(0, out)
  answer.pinned.write(0, out)
  expect(Buffer.from(out.view()).toString()).toBe(HITS.join(''))
})

it('passes over members that it does not know', () => {
  const more = HEAD.replace('{"version":1,', '{"version":1,"later":{"a":[]},')
  expect(read(`${more}\n${HITS.join('')}`).total([])).toBe(2)
})

it('refuses another version, and says which', () => {
  expect(() => read(GOLDEN.replace('"version":1', '"version":2'))).toThrow(VersionError)
})

it.each([
  ['no line feed', HEAD],
  ['a head that is cut', `${HEAD.slice(0, -1)}\n${HITS.join('')}`],
  ['a hit that is cut', GOLDEN.slice(0, -1)],
  ['bytes behind the last hit', `${GOLDEN} `],
  ['a hit that is a list', GOLDEN.replace('{"id":2}', '[1,2,33]')],
  ['a hit that is not JSON', GOLDEN.replace('{"id":2}', '{"id":2,')],
  ['a total below zero', GOLDEN.replace('"total":2', '"total":-1')],
  ['a ranked hit with a pin', GOLDEN.replace('"pin":null', '"pin":1')],
  ['a kind of key that there is not', GOLDEN.replace('"kind":"geo"', '"kind":"gem"')],
])('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow(CorruptionError)
})
