// Payload of a finished batch, with the outcomes of its tasks · layout: ./TASKS.md
//
//   version 0 statuses uid startedAt finishedAt kinds
//   · info, swapped, canceled, deleted, outcomes
//
// Members of a decoded record are views of the payload, as in ./records-v1.ts.
import { type ByteReader, ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { asBatchUid, asTaskUid, type BatchUid, type TaskUid, type U32Of } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import { UID_NONE } from './limits.ts'
import {
  openRecord,
  readSet,
  readText,
  readTexts,
  readUid,
  readZeros,
  SECTION,
  VERSION,
  writeSet,
  writeText,
  writeTexts,
} from './members.ts'

const SUCCEEDED = 2
const FAILED = 3

/** The outcome of one task. `result` is JSON text, empty for no result. */
export type OutcomeRecord = {
  readonly uid: TaskUid
  readonly status: number
  readonly result: string
}
type BatchBase<Text> = {
  readonly uid: BatchUid
  readonly statuses: number
  readonly kinds: number
  readonly startedAt: number
  readonly finishedAt: number
  readonly indexes: readonly Text[]
  /** JSON text. */
  readonly info: Text
  readonly swapped: readonly (readonly [Text, Text])[]
  readonly swappedBefore: number
  readonly canceled: IdSet | null
  readonly canceledBy: TaskUid
  readonly deleted: IdSet | null
}
/** A batch record with decoded texts. `outcomes` ascend by uid. */
export type BatchRecord = BatchBase<string> & { readonly outcomes: readonly OutcomeRecord[] }
export type BatchView = BatchBase<Uint8Array> & {
  readonly outcomeUids: U32Of<TaskUid>
  readonly outcomeStatuses: Uint8Array
  readonly outcomeEnds: Uint32Array
  readonly results: Uint8Array
}

export function encodeBatch(record: BatchView): Uint8Array {
  assert(record.uid !== UID_NONE, 'a batch has a uid')
  assert(record.swappedBefore !== UID_NONE, 'a swap is of tasks before a uid')
  const outcomesBytes = record.outcomeUids.length * 9 + record.results.length
  const out = new ByteWriter(256 + outcomesBytes + record.info.length)
  out.u8(VERSION)
  out.u8(0)
  out.u16(record.statuses)
  out.u32(record.uid)
  out.u64(record.startedAt)
  out.u64(record.finishedAt)
  out.u32(record.kinds)
  writeTexts(out, record.indexes)
  writeText(out, record.info)
  out.varint(record.swapped.length)
  for (const [left, right] of record.swapped) {
    writeText(out, left)
    writeText(out, right)
  }
  if (record.swapped.length > 0) out.u32(record.swappedBefore)
  writeSet(out, record.canceled)
  if (record.canceled !== null) out.u32(record.canceledBy)
  writeSet(out, record.deleted)
  writeOutcomes(out, record)
  return out.finish()
}

function writeOutcomes(
  out: ByteWriter,
  { outcomeUids, outcomeStatuses, outcomeEnds, results }: BatchView,
): void {
  const count = outcomeUids.length
  assert(outcomeStatuses.length === count, 'each outcome has a status')
  assert(outcomeEnds.length === count, 'each outcome has an end')
  assert(results.length === (outcomeEnds.at(-1) ?? 0), 'the last result ends with all results')
  out.varint(count)
  for (let i = 0; i < outcomeUids.length; i++) {
    assert(i === 0 || outcomeUids[i]! > outcomeUids[i - 1]!, 'outcomes ascend by uid')
    assert(outcomeUids[i] !== UID_NONE, 'an outcome is of a task')
    out.u32(outcomeUids[i]!)
  }
  for (const status of outcomeStatuses) {
    assert(status === SUCCEEDED || status === FAILED, 'an outcome is a success or a failure')
    out.u8(status)
  }
  let last = 0
  for (const end of outcomeEnds) {
    assert(end >= last, 'results come one after another')
    out.u32(end)
    last = end
  }
  out.bytes(results)
}

/** @throws CorruptionError, VersionError */
export function decodeBatch(payload: Uint8Array): BatchView {
  const input = openRecord(payload)
  readZeros(input, 1)
  const statuses = input.u16()
  const uid = asBatchUid(readUid(input))
  const startedAt = input.u64()
  const finishedAt = input.u64()
  const kinds = input.u32()
  const indexes = readTexts(input)
  const info = readText(input)
  const pairs = input.varint()
  if (pairs > input.left) refuse(SECTION, input.at, 'bad_length', 'pairs that fit', pairs)
  const swapped: (readonly [Uint8Array, Uint8Array])[] = []
  for (let i = 0; i < pairs; i++) swapped.push([readText(input), readText(input)])
  const swappedBefore = pairs > 0 ? readUid(input) : 0
  const canceled = readSet(input)
  const canceledBy = canceled === null ? UID_NONE : asTaskUid(input.u32())
  const deleted = readSet(input)
  const base = { uid, statuses, kinds, startedAt, finishedAt, indexes, info, swapped }
  const sets = { swappedBefore, canceled, canceledBy, deleted }
  const record = { ...base, ...sets, ...readOutcomes(input) }
  input.finish()
  return record
}

function readOutcomes(
  input: ByteReader,
): Pick<BatchView, 'outcomeUids' | 'outcomeStatuses' | 'outcomeEnds' | 'results'> {
  const at = input.at
  const count = input.varint()
  if (count * 9 > input.left) refuse(SECTION, at, 'bad_length', 'outcomes that fit', count)
  const outcomeUids = new Uint32Array(count) as U32Of<TaskUid>
  for (let i = 0; i < count; i++) {
    outcomeUids[i] = asTaskUid(readUid(input))
    if (i > 0 && outcomeUids[i]! <= outcomeUids[i - 1]!) {
      refuse(SECTION, input.at - 4, 'bad_order', `> ${outcomeUids[i - 1]}`, outcomeUids[i]!)
    }
  }
  const outcomeStatuses = input.take(count)
  for (const status of outcomeStatuses) {
    if (status !== SUCCEEDED && status !== FAILED) {
      refuse(SECTION, input.at - count, 'bad_value', 'succeeded or failed', status)
    }
  }
  const outcomeEnds = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    outcomeEnds[i] = input.u32()
    if (i > 0 && outcomeEnds[i]! < outcomeEnds[i - 1]!) {
      refuse(SECTION, input.at - 4, 'bad_order', `≥ ${outcomeEnds[i - 1]}`, outcomeEnds[i]!)
    }
  }
  const results = input.take(count === 0 ? 0 : outcomeEnds[count - 1]!)
  return { outcomeUids, outcomeStatuses, outcomeEnds, results }
}
