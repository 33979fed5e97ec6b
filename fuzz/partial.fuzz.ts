// Any bytes are a partial answer or are refused with a typed error; what is read has one encoding.

import { decodePartial, encodePartial } from '../engine/read/search/partial-json.ts'
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const HIT = '{"id":1,"price":1.0}'
const KEY = {
  parts: [
    { kind: 'score', score: 0.5 },
    { kind: 'sort', ascending: true, value: 'x' },
    { kind: 'geo', distance: null },
  ],
  score: 0.5,
  position: 0,
}
const hit = (pin: number | null): object => ({
  key: KEY,
  document: 1,
  pin,
  distinct: ['=a'],
  bytes: HIT.length,
})
const HEAD = {
  version: 1,
  indexUid: 'i',
  total: 2,
  degraded: false,
  hits: [hit(null)],
  pinned: [hit(3)],
  facets: { distribution: [['tag', [['1', 2]]]], stats: [['year', 1, 2]] },
}

export const target: FuzzTarget = {
  name: 'partial',
  seeds: () => [Buffer.from(`${JSON.stringify(HEAD)}\n${HIT}${HIT}`)],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const bytes = encodePartial(decodePartial(input))
  const again = encodePartial(decodePartial(bytes))
  assert(Buffer.compare(bytes, again) === 0, 'a partial answer has one encoding')
}
