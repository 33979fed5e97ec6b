// Any bytes read as a task record give a record or a typed error; a decoded record has exactly one
// encoding. The first byte selects the type of the record. Page: format/tasks/TASKS.md
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { asBatchUid, asTaskUid } from '../format/ids.ts'
import { IdSet } from '../format/idset/index.ts'
import {
  decodeAnswers,
  decodeBatch,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  encodeAnswers,
  encodeBatch,
  encodeEnqueued,
  encodeHead,
  encodeKept,
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
} from '../format/tasks/index.ts'
import type { FuzzTarget } from './target.ts'

export const target: FuzzTarget = {
  name: 'tasks',
  seeds,
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 8192,
}

function run(input: Uint8Array): void {
  const payload = input.subarray(1)
  const again = reencode((input[0] ?? 0) % 6, payload)
  assert(Buffer.compare(again, payload) === 0, 'a task record has one encoding')
}

function reencode(kind: number, payload: Uint8Array): Uint8Array {
  if (kind === RECORD_ENQUEUED) return encodeEnqueued(decodeEnqueued(payload))
  if (kind === RECORD_BATCH) return encodeBatch(decodeBatch(payload))
  if (kind === RECORD_KEPT) return encodeKept(keptOfView(decodeKept(payload)))
  if (kind === RECORD_ANSWERS) {
    const { uid, answers } = decodeAnswers(payload)
    return encodeAnswers({ uid, answers: textOf(answers) })
  }
  return encodeHead(decodeHead(payload))
}

function seeds(): readonly Uint8Array[] {
  const enqueued = encodeEnqueued({
    kind: 0,
    flags: 4,
    uid: asTaskUid(7),
    enqueuedAt: 1_700_000_000_000_000,
    count: 2,
    bodyBytes: 4,
    bodyFile: 9,
    index: utf8Of('movies'),
    primaryKey: utf8Of('id'),
    metadata: utf8Of('mine'),
    names: [utf8Of('a'), utf8Of('b')],
    content: utf8Of('{"x":1}'),
    inline: Uint8Array.of(1, 2, 3, 4),
  })
  const batch = viewOfBatch({
    uid: asBatchUid(3),
    statuses: 12,
    kinds: 1,
    startedAt: 1,
    finishedAt: 2,
    indexes: ['movies'],
    info: '{}',
    swapped: [['a', 'b']],
    swappedBefore: 4,
    canceled: IdSet.of([1, 2, 70_000]),
    canceledBy: asTaskUid(5),
    deleted: IdSet.of([0]),
    outcomes: [
      { uid: asTaskUid(1), status: 2, result: '{"r":{}}' },
      { uid: asTaskUid(6), status: 3, result: '' },
    ],
  })
  const kept = encodeKept({
    kind: 2,
    status: 4,
    uid: asTaskUid(7),
    batch: UID_NONE,
    canceledBy: asTaskUid(8),
    enqueuedAt: 1,
    startedAt: null,
    finishedAt: 3,
    count: 2,
    index: null,
    metadata: 'm',
    names: [],
    details: '{}',
    error: { code: 'internal', message: 'm' },
  })
  const head = encodeHead({ nextTask: asTaskUid(1), nextBatch: asBatchUid(2) })
  return [
    withKind(RECORD_ENQUEUED, enqueued),
    withKind(RECORD_BATCH, encodeBatch(batch)),
    withKind(RECORD_KEPT, kept),
    withKind(RECORD_HEAD, head),
    withKind(RECORD_ANSWERS, encodeAnswers({ uid: asTaskUid(7), answers: '{"b":{}}' })),
  ]
}

function withKind(kind: number, payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(payload.length + 1)
  out[0] = kind
  out.set(payload, 1)
  return out
}
