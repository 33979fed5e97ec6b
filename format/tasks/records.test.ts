// Task records: golden bytes, round trips, and the decoding of damaged payloads. Layout: ./TASKS.md

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { expectRefusals } from '../../fixtures/refusals.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { asBatchUid, asTaskUid } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import {
  type BatchRecord,
  batchOfView,
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  type EnqueuedView,
  encodeAnswers,
  encodeBatch,
  encodeEnqueued,
  encodeHead,
  encodeKept,
  jsonOf,
  keptOfView,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  textOf,
  UID_NONE,
  utf8Of,
  viewOfBatch,
} from './index.ts'
import { TASK_KIND_COUNT_MAX, TASK_STATUS_COUNT_MAX } from './limits.ts'
import type { KeptRecord } from './records-v1.ts'
import { taskRecordNotes } from './test-notes.ts'

const DELETION: EnqueuedView = {
  kind: 2,
  flags: 0,
  uid: asTaskUid(7),
  enqueuedAt: 1_000_000,
  count: 2,
  bodyBytes: 0,
  bodyFile: null,
  index: utf8Of('x'),
  primaryKey: null,
  metadata: null,
  names: [],
  content: utf8Of('["a","b"]'),
  inline: null,
}
const IMPORT: EnqueuedView = {
  ...DELETION,
  kind: 0,
  flags: 5,
  uid: asTaskUid(300),
  bodyBytes: 10,
  primaryKey: utf8Of('id'),
  metadata: utf8Of('mine'),
  content: null,
  inline: utf8Of('{"id":1}\n '),
}
const SWAP: EnqueuedView = {
  ...DELETION,
  kind: 7,
  uid: asTaskUid(301),
  count: 0,
  index: null,
  names: [utf8Of('a'), utf8Of('b')],
  content: utf8Of('[false]'),
}
const BATCH: BatchRecord = {
  uid: asBatchUid(12),
  statuses: 0b11100,
  kinds: 0b101,
  startedAt: 2_000_000,
  finishedAt: 2_000_500,
  indexes: ['x', 'y'],
  info: '{"strategy":"batched all enqueued tasks"}',
  swapped: [['x', 'y']],
  swappedBefore: 9,
  canceled: IdSet.of([3, 70_000]),
  canceledBy: asTaskUid(8),
  deleted: IdSet.of([1]),
  outcomes: [
    { uid: asTaskUid(7), status: 2, result: '{"r":{"deletedDocuments":2}}' },
    { uid: asTaskUid(8), status: 3, result: '{"e":{"code":"internal","message":"no"}}' },
    { uid: asTaskUid(9), status: 2, result: '' },
  ],
}
const KEPT: KeptRecord = {
  kind: 2,
  status: 3,
  uid: asTaskUid(7),
  batch: asBatchUid(12),
  canceledBy: UID_NONE,
  enqueuedAt: 1_000_000,
  startedAt: 2_000_000,
  finishedAt: null,
  count: 2,
  index: 'x',
  metadata: null,
  names: [],
  details: '{"providedIds":2}',
  error: { code: 'index_not_found', message: 'Index `x` not found.' },
}

const ANSWERS = { uid: asTaskUid(7), answers: '{"b":{"taskUid":4,"error":null}}' }

describe('golden bytes', () => {
  const cases: readonly (readonly [string, number, Uint8Array])[] = [
    ['deletion', RECORD_ENQUEUED, encodeEnqueued(DELETION)],
    ['import', RECORD_ENQUEUED, encodeEnqueued(IMPORT)],
    ['swap', RECORD_ENQUEUED, encodeEnqueued(SWAP)],
    ['batch', RECORD_BATCH, encodeBatch(viewOfBatch(BATCH))],
    ['kept', RECORD_KEPT, encodeKept(KEPT)],
    ['answers', RECORD_ANSWERS, encodeAnswers(ANSWERS)],
    [
      'head',
      RECORD_HEAD,
      encodeHead({ nextTask: asTaskUid(4_000_000_000), nextBatch: asBatchUid(5) }),
    ],
  ]
  for (const [name, type, bytes] of cases) {
    it(name, () => {
      const shown = expectGolden(`tasks/v1/${name}`, bytes, taskRecordNotes(type, bytes))
      expect(shown).toEqual(bytes)
    })
  }
})

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const number = fc.integer({ min: 0, max: UID_NONE - 1 })
const uid = number.map(asTaskUid)
const batchUid = number.map(asBatchUid)
const time = fc.integer({ min: 0, max: 2 ** 52 })
const json = fc.json()
const utf8 = text.map(utf8Of)
const ids = fc.uniqueArray(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 40 })
const set = fc.option(ids.map((all) => IdSet.of(all)))

const enqueued: fc.Arbitrary<EnqueuedView> = fc.record({
  kind: fc.integer({ min: 0, max: 17 }),
  flags: fc.integer({ min: 0, max: 63 }),
  uid,
  enqueuedAt: time,
  count: number,
  bodyBytes: time,
  bodyFile: fc.option(time),
  index: fc.option(utf8),
  primaryKey: fc.option(utf8),
  metadata: fc.option(utf8),
  names: fc.array(utf8, { maxLength: 6 }),
  content: fc.option(json.map(utf8Of)),
  inline: fc.option(fc.uint8Array({ maxLength: 60 })),
})

const kept: fc.Arbitrary<KeptRecord> = fc.record({
  kind: fc.integer({ min: 0, max: 17 }),
  status: fc.integer({ min: 2, max: 4 }),
  uid,
  batch: fc.oneof(batchUid, fc.constant(UID_NONE)),
  canceledBy: fc.oneof(uid, fc.constant(UID_NONE)),
  enqueuedAt: time,
  startedAt: fc.option(time),
  finishedAt: fc.option(time),
  count: number,
  index: fc.option(text),
  metadata: fc.option(text),
  names: fc.array(text, { maxLength: 4 }),
  details: fc.option(json),
  error: fc.option(fc.record({ code: text, message: text })),
})

const batch: fc.Arbitrary<BatchRecord> = fc
  .record({
    uid: batchUid,
    statuses: fc.integer({ min: 0, max: 31 }),
    kinds: number,
    startedAt: time,
    finishedAt: time,
    indexes: fc.array(text, { maxLength: 4 }),
    info: json,
    swapped: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    swappedBefore: number,
    canceled: set,
    canceledBy: fc.oneof(uid, fc.constant(UID_NONE)),
    deleted: set,
    outcomes: fc.uniqueArray(
      fc.record({ uid, status: fc.constantFrom(2, 3), result: fc.oneof(json, fc.constant('')) }),
      { selector: (outcome) => outcome.uid, maxLength: 20 },
    ),
  })
  .map((record) => ({
    ...record,
    swappedBefore: record.swapped.length > 0 ? record.swappedBefore : 0,
    canceledBy: record.canceled === null ? UID_NONE : record.canceledBy,
    outcomes: [...record.outcomes].sort((a, b) => a.uid - b.uid),
  }))

describe('round trips', () => {
  it('enqueued', () => {
    fc.assert(
      fc.property(enqueued, (record) => {
        expect(decodeEnqueued(encodeEnqueued(record))).toEqual(record)
      }),
    )
  })

  it('kept', () => {
    fc.assert(
      fc.property(kept, (record) => {
        expect(keptOfView(decodeKept(encodeKept(record)))).toEqual(record)
      }),
    )
  })

  it('batch', () => {
    fc.assert(
      fc.property(batch, (record) => {
        const view = viewOfBatch(record)
        const decoded = decodeBatch(encodeBatch(view))
        const sets = { canceled: null, deleted: null }
        expect({ ...decoded, ...sets }).toEqual({ ...view, ...sets })
        const again = batchOfView(decoded)
        expect({ ...again, canceled: null, deleted: null }).toEqual({
          ...record,
          canceled: null,
          deleted: null,
        })
        expect(idsOf(again.canceled)).toEqual(idsOf(record.canceled))
        expect(idsOf(again.deleted)).toEqual(idsOf(record.deleted))
      }),
    )
  })
})

const idsOf = (ids: IdSet | null): number[] | null => (ids === null ? null : [...ids.toArray()])

describe('damage', () => {
  const all: readonly (readonly [Uint8Array, (bytes: Uint8Array) => Uint8Array])[] = [
    [encodeEnqueued(IMPORT), (bytes) => encodeEnqueued(decodeEnqueued(bytes))],
    [encodeEnqueued(SWAP), (bytes) => encodeEnqueued(decodeEnqueued(bytes))],
    [encodeBatch(viewOfBatch(BATCH)), (bytes) => encodeBatch(decodeBatch(bytes))],
    [encodeKept(KEPT), (bytes) => encodeKept(keptOfView(decodeKept(bytes)))],
    [
      encodeAnswers(ANSWERS),
      (bytes) => {
        const { uid, answers } = decodeAnswers(bytes)
        return encodeAnswers({ uid, answers: textOf(answers) })
      },
    ],
    [
      encodeHead({ nextTask: asTaskUid(1), nextBatch: asBatchUid(2) }),
      (bytes) => encodeHead(decodeHead(bytes)),
    ],
  ]

  it('every truncation and every byte too many is refused', () => {
    for (const [bytes, again] of all) {
      for (let length = 0; length < bytes.length; length++) {
        expect(() => again(bytes.slice(0, length)), `cut at ${length}`).toThrow(CorruptionError)
      }
      expect(() => again(Uint8Array.from([...bytes, 0]))).toThrow(CorruptionError)
    }
  })

  it('every flipped bit is refused or gives another record with exactly these bytes', () => {
    for (const [bytes, again] of all) {
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice()
        flipped[bit >>> 3]! ^= 1 << (bit & 7)
        expect(refusedOrSame(flipped, again), `bit ${bit}`).toBe(true)
      }
    }
  })

  it('each check has its message', () => {
    const parts = all.map(([bytes, again], i) => [`record ${i}`, bytes, again] as const)
    expectRefusals('tasks', parts)
  })

  it('another version is reported', () => {
    for (const [bytes, again] of all) {
      const other = bytes.slice()
      other[0] = 2
      expect(() => again(other)).toThrow(VersionError)
    }
  })

  it('a set that claims more ids than its bytes hold allocates no memory', () => {
    const ids = Array.from({ length: 1000 }, (_, i) => i * 65_536)
    const rest = { swapped: [], canceled: null, outcomes: [] }
    const bytes = encodeBatch(viewOfBatch({ ...BATCH, ...rest, deleted: IdSet.of(ids) }))
    const cardinalities = bytes.length - 1 - (8 + 1000 * 10) + 8
    for (let i = 0; i < 1000; i++)
      bytes.fill(0xff, cardinalities + i * 4 + 2, cardinalities + i * 4 + 4)
    expect(() => decodeBatch(bytes)).toThrow(/^task record .*bad_length/)
  })

  it('lists that their bytes cannot hold are refused before they are read', () => {
    const none = { swapped: [], canceled: null, deleted: null, outcomes: [] }
    const bytes = encodeBatch(viewOfBatch({ ...BATCH, ...none }))
    const swaps = bytes.slice()
    swaps[swaps.length - 4] = 9
    expect(() => decodeBatch(swaps)).toThrow('expected pairs that fit, got 9')
    const outcomes = Uint8Array.from([...bytes, 0, 0, 0, 0, 0])
    outcomes[bytes.length - 1] = 1
    expect(() => decodeBatch(outcomes)).toThrow('expected outcomes that fit, got 1')
    const set = encodeBatch(viewOfBatch({ ...BATCH, ...none, deleted: IdSet.of([1]) }))
    set[set.length - 1 - 18 + 4] = 2
    expect(() => decodeBatch(set)).toThrow('expected containers that fit, got 2')
  })

  it.each([
    ['kind', 1, TASK_KIND_COUNT_MAX],
    ['status', 2, TASK_STATUS_COUNT_MAX],
  ])('a %s without a bit in its mask is refused', (name, at, count) => {
    const read = (value: number) =>
      decodeKept(
        encodeKept(KEPT)
          .slice()
          .fill(value, at, at + 1),
      )
    expect(read(count - 1)).toMatchObject({ [name]: count - 1 })
    expect(() => read(count)).toThrow(
      `task record @${at}: bad_value, expected a ${name}, got ${count}`,
    )
  })

  it('a task without a uid is refused at its place', () => {
    const bytes = encodeEnqueued(SWAP).slice().fill(0xff, 4, 8)
    expect(() => decodeEnqueued(bytes)).toThrow('task record @4: bad_value, expected a uid')
  })

  it('text that is not UTF-8 and invalid JSON are refused when they are decoded', () => {
    expect(() => textOf(Uint8Array.of(0xff))).toThrow(CorruptionError)
    expect(() => jsonOf(new TextEncoder().encode('{'))).toThrow(CorruptionError)
    expect(jsonOf(new TextEncoder().encode('{"__proto__":1}'))).toHaveProperty(['__proto__'], 1)
  })
})

function refusedOrSame(bytes: Uint8Array, again: (bytes: Uint8Array) => Uint8Array): boolean {
  let out: Uint8Array
  try {
    out = again(bytes)
  } catch (error) {
    return error instanceof CorruptionError || error instanceof VersionError
  }
  return Buffer.compare(out, bytes) === 0
}
