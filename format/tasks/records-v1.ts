// Payloads of the task log · layout: ./TASKS.md
//
//   1 enqueued   version kind flags uid enqueuedAt count · body, names, content
//   2 batch      ./batch-record-v1.ts
//   3 kept       version kind status 0 uid batch canceledBy times count · names, details, error
//   4 head       version 0 nextTask nextBatch
//   5 answers    version 0 uid · answers of the remotes
//
// Decoding copies nothing and decodes no text: members are views of the payload, which `textOf` and
// `jsonOf` decode on demand. A start may decode a million payloads.
import { type ByteReader, ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { asBatchUid, asTaskUid, type BatchUid, type TaskUid } from '../ids.ts'
import { TASK_KIND_COUNT_MAX, TASK_STATUS_COUNT_MAX, UID_NONE } from './limits.ts'
import {
  openRecord,
  readKind,
  readOptional,
  readText,
  readTexts,
  readUid,
  readZeros,
  SECTION,
  VERSION,
  writeOptional,
  writeText,
  writeTexts,
} from './members.ts'

export const RECORD_ENQUEUED = 1
export const RECORD_BATCH = 2
export const RECORD_KEPT = 3
export const RECORD_HEAD = 4
export const RECORD_ANSWERS = 5

export const FLAG_UPDATE = 1
export const FLAG_SKIP_CREATION = 2
export const FLAG_MAY_CREATE = 4
export const FLAG_RESET = 8
/**
 * Position of the two flag bits that select the documents of a deletion: by ids, by filter, or all.
 */
export const DELETION_SHIFT = 4
export const DELETION_BITS = 3 << DELETION_SHIFT
const FLAGS_KNOWN = FLAG_UPDATE | FLAG_SKIP_CREATION | FLAG_MAY_CREATE | FLAG_RESET | DELETION_BITS

/** An enqueued record. Texts are UTF-8. */
export type EnqueuedView = {
  readonly kind: number
  readonly flags: number
  readonly uid: TaskUid
  readonly enqueuedAt: number
  readonly count: number
  readonly bodyBytes: number
  readonly bodyFile: number | null
  readonly index: Uint8Array | null
  readonly primaryKey: Uint8Array | null
  readonly metadata: Uint8Array | null
  readonly names: readonly Uint8Array[]
  /** JSON text. */
  readonly content: Uint8Array | null
  readonly inline: Uint8Array | null
}

type Kept<Text> = {
  readonly kind: number
  readonly status: number
  readonly uid: TaskUid
  /** `UID_NONE` for none, as in the next member. */
  readonly batch: BatchUid
  readonly canceledBy: TaskUid
  readonly enqueuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly count: number
  readonly index: Text | null
  readonly metadata: Text | null
  readonly names: readonly Text[]
  /** JSON text. */
  readonly details: Text | null
  readonly error: { readonly code: Text; readonly message: Text } | null
}
export type KeptRecord = Kept<string>
export type KeptView = Kept<Uint8Array>

export type HeadRecord = { readonly nextTask: TaskUid; readonly nextBatch: BatchUid }

export function encodeEnqueued(record: EnqueuedView): Uint8Array {
  assert(record.uid !== UID_NONE, 'a task has a uid')
  assert((record.flags & ~FLAGS_KNOWN) === 0, 'only known flags are written')
  assert(record.kind < TASK_KIND_COUNT_MAX, 'a kind fits the mask')
  const out = new ByteWriter(96 + (record.content?.length ?? 0) + (record.inline?.length ?? 0))
  out.u8(VERSION)
  out.u8(record.kind)
  out.u16(record.flags)
  out.u32(record.uid)
  out.u64(record.enqueuedAt)
  out.u32(record.count)
  out.varint(record.bodyBytes)
  out.varint(record.bodyFile === null ? 0 : record.bodyFile + 1)
  writeOptional(out, record.index)
  writeOptional(out, record.primaryKey)
  writeOptional(out, record.metadata)
  writeTexts(out, record.names)
  writeOptional(out, record.content)
  if (record.inline === null) out.varint(0)
  else {
    out.varint(record.inline.length + 1)
    out.bytes(record.inline)
  }
  return out.view()
}

/** @throws CorruptionError, VersionError */
export function decodeEnqueued(payload: Uint8Array): EnqueuedView {
  const input = openRecord(payload)
  const kind = readKind(input)
  const flags = input.u16()
  if ((flags & ~FLAGS_KNOWN) !== 0) refuse(SECTION, 2, 'bad_value', 'known flags', flags)
  const uid = asTaskUid(readUid(input))
  const enqueuedAt = input.u64()
  const count = input.u32()
  const bodyBytes = input.varint()
  const bodyFile = input.varint()
  const record: EnqueuedView = {
    kind,
    flags,
    uid,
    enqueuedAt,
    count,
    bodyBytes,
    bodyFile: bodyFile === 0 ? null : bodyFile - 1,
    index: readOptional(input),
    primaryKey: readOptional(input),
    metadata: readOptional(input),
    names: readTexts(input),
    content: readOptional(input),
    inline: readOptional(input),
  }
  input.finish()
  return record
}

export function encodeKept(record: KeptRecord): Uint8Array {
  assert(record.uid !== UID_NONE, 'a task has a uid')
  assert(record.kind < TASK_KIND_COUNT_MAX, 'a kind fits the mask')
  assert(record.status < TASK_STATUS_COUNT_MAX, 'a status fits the mask')
  const out = new ByteWriter(128 + (record.details?.length ?? 0))
  out.u8(VERSION)
  out.u8(record.kind)
  out.u8(record.status)
  out.u8(0)
  out.u32(record.uid)
  out.u32(record.batch)
  out.u32(record.canceledBy)
  out.u64(record.enqueuedAt)
  out.u64(record.startedAt === null ? 0 : record.startedAt + 1)
  out.u64(record.finishedAt === null ? 0 : record.finishedAt + 1)
  out.u32(record.count)
  writeOptional(out, record.index)
  writeOptional(out, record.metadata)
  writeTexts(out, record.names)
  writeOptional(out, record.details)
  writeOptional(out, record.error === null ? null : record.error.code)
  if (record.error !== null) writeText(out, record.error.message)
  return out.finish()
}

/** @throws CorruptionError, VersionError */
export function decodeKept(payload: Uint8Array): KeptView {
  const input = openRecord(payload)
  const kind = readKind(input)
  const status = input.u8()
  if (status >= TASK_STATUS_COUNT_MAX) refuse(SECTION, 2, 'bad_value', 'a status', status)
  readZeros(input, 1)
  const uid = asTaskUid(readUid(input))
  const batch = asBatchUid(input.u32())
  const canceledBy = asTaskUid(input.u32())
  const enqueuedAt = input.u64()
  const startedAt = input.u64()
  const finishedAt = input.u64()
  const record: KeptView = {
    kind,
    status,
    uid,
    batch,
    canceledBy,
    enqueuedAt,
    startedAt: startedAt === 0 ? null : startedAt - 1,
    finishedAt: finishedAt === 0 ? null : finishedAt - 1,
    count: input.u32(),
    index: readOptional(input),
    metadata: readOptional(input),
    names: readTexts(input),
    details: readOptional(input),
    error: readError(input),
  }
  input.finish()
  return record
}

function readError(input: ByteReader): KeptView['error'] {
  const code = readOptional(input)
  return code === null ? null : { code, message: readText(input) }
}

export function encodeHead(record: HeadRecord): Uint8Array {
  const out = new ByteWriter(12)
  out.u32(VERSION)
  out.u32(record.nextTask)
  out.u32(record.nextBatch)
  return out.finish()
}

/** @throws CorruptionError, VersionError */
export function decodeHead(payload: Uint8Array): HeadRecord {
  const input = openRecord(payload)
  readZeros(input, 3)
  const record = { nextTask: asTaskUid(input.u32()), nextBatch: asBatchUid(input.u32()) }
  input.finish()
  return record
}

/** The answers of a network's remotes to a task, as JSON text. */
export type AnswersRecord = { readonly uid: TaskUid; readonly answers: string }
export type AnswersView = { readonly uid: TaskUid; readonly answers: Uint8Array }

export function encodeAnswers(record: AnswersRecord): Uint8Array {
  assert(record.uid !== UID_NONE, 'a task has a uid')
  const out = new ByteWriter(16 + record.answers.length)
  out.u32(VERSION)
  out.u32(record.uid)
  writeText(out, record.answers)
  return out.finish()
}

/** @throws CorruptionError, VersionError */
export function decodeAnswers(payload: Uint8Array): AnswersView {
  const input = openRecord(payload)
  readZeros(input, 3)
  const record = { uid: asTaskUid(readUid(input)), answers: readText(input) }
  input.finish()
  return record
}
