// Any bytes are a partial answer or are refused with a typed error; hits of a decoded answer are
// JSON, also with a different origin.
import { writeHits } from '../engine/read/answers/answer.ts'
import { merge } from '../engine/read/answers/merge.ts'
import { ReceivedAnswer } from '../engine/read/answers/received-answer.ts'
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { asIndexUid } from '../format/ids.ts'
import { findFault, JsonBuffer } from '../format/json/index.ts'
import type { FuzzTarget } from './target.ts'

const HIT = '{"id":1,"price":1.0,"_federation":{}}'
const AT = HIT.indexOf('{}')
const HEAD = JSON.stringify({
  version: 2,
  processingTimeMs: 1,
  total: 2,
  indexUids: ['i'],
  lengths: [HIT.length, HIT.length],
  origins: [AT, AT],
  indexes: [0, 0],
  positions: [0, 0],
  scores: [0.5, 0.4],
  externalIds: ['1', 'x'],
  keys: [[0.5, [0, 'x'], [2, null]], []],
  pins: [[1, 3]],
  semantic: [0],
  values: [[0, { tag: 'a' }]],
  facets: [['i', [['tag', [['1', 2]]]], [['year', 1, 2]]]],
})

export const target: FuzzTarget = {
  name: 'partial',
  seeds: () => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(HEAD.length)
    return [Buffer.concat([Buffer.from(`${HIT}${HIT}${HEAD}`), length])]
  },
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const part = new ReceivedAnswer(input, {
    remote: 'r',
    withDetails: false,
    isOwn: false,
    distinctOf: () => 'tag',
    hitsMax: 10,
    indexUids: new Set([asIndexUid('i')]),
    facetsByIndex: { i: ['tag', 'year'] },
  })
  const out = new JsonBuffer()
  writeHits(merge([part], { offset: 0, limit: 10, finite: false }), out, () => undefined)
  assert(findFault(out.view()) === null, 'hits are JSON')
}
