// Explains the bytes of a task record line by line, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import type { ByteReader } from '../bytes/index.ts'
import { decodeBatch } from './batch-record-v1.ts'
import { openRecord, textOf } from './members.ts'
import {
  decodeAnswers,
  decodeEnqueued,
  decodeHead,
  decodeKept,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_KEPT,
} from './records-v1.ts'

const SHOWN_MAX = 60

/** Explains a sound payload of the given record type. @throws CorruptionError, VersionError */
export function taskRecordNotes(type: number, payload: Uint8Array): readonly Note[] {
  const notes: Note[] = [{ from: 0, to: 1, text: 'version 1' }]
  const input = openRecord(payload)
  const take = (text: string, read: (input: ByteReader) => string): void => {
    const from = input.at
    const value = read(input)
    notes.push({ from, to: input.at, text: value === '' ? text : `${text} ${value}` })
  }
  if (type === RECORD_ENQUEUED) enqueuedNotes(payload, take)
  else if (type === RECORD_BATCH) batchNotes(payload, take)
  else if (type === RECORD_KEPT) keptNotes(payload, take)
  else if (type === RECORD_ANSWERS) answersNotes(payload, take)
  else headNotes(payload, take)
  return notes
}

type Take = (text: string, read: (input: ByteReader) => string) => void

const u8 = (input: ByteReader): string => String(input.u8())
const u16 = (input: ByteReader): string => String(input.u16())
const u32 = (input: ByteReader): string => String(input.u32())
const u64 = (input: ByteReader): string => String(input.u64())
const varint = (input: ByteReader): string => String(input.varint())
const skip =
  (count: number) =>
  (input: ByteReader): string => {
    input.take(count)
    return ''
  }

function shown(bytes: Uint8Array): string {
  const text = textOf(bytes)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}

const text = (input: ByteReader): string => shown(input.take(input.varint()))

function optional(input: ByteReader): string {
  const length = input.varint()
  return length === 0 ? 'none' : shown(input.take(length - 1))
}

function texts(input: ByteReader): string {
  const count = input.varint()
  const all: string[] = []
  for (let i = 0; i < count; i++) all.push(text(input))
  return count === 0 ? 'none' : all.join(', ')
}

function bytes(input: ByteReader): string {
  const length = input.varint()
  if (length === 0) return 'none'
  input.take(length - 1)
  return `${length - 1} bytes`
}

function enqueuedNotes(payload: Uint8Array, take: Take): void {
  decodeEnqueued(payload)
  take('kind', u8)
  take('flags', u16)
  take('uid', u32)
  take('enqueuedAt', u64)
  take('count', u32)
  take('bodyBytes', varint)
  take('bodyFile + 1:', varint)
  take('index:', optional)
  take('primaryKey:', optional)
  take('metadata:', optional)
  take('names:', texts)
  take('content:', optional)
  take('inline:', bytes)
}

function batchNotes(payload: Uint8Array, take: Take): void {
  const record = decodeBatch(payload)
  take('reserved', skip(1))
  take('statuses', u16)
  take('uid', u32)
  take('startedAt', u64)
  take('finishedAt', u64)
  take('kinds', u32)
  take('indexes:', texts)
  take('info:', text)
  take('swapped:', varint)
  for (const _ of record.swapped) take('', (input) => `${text(input)} ↔ ${text(input)}`)
  if (record.swapped.length > 0) take('before', u32)
  take('canceled:', set(record.canceled?.size))
  if (record.canceled !== null) take('canceledBy', u32)
  take('deleted:', set(record.deleted?.size))
  take('outcomes:', varint)
  for (const _ of record.outcomeUids) take('uid', u32)
  for (const _ of record.outcomeUids) take('status', u8)
  for (const _ of record.outcomeUids) take('end', u32)
  let start = 0
  for (const end of record.outcomeEnds) {
    take('result:', (input) => shown(input.take(end - start)))
    start = end
  }
}

const set =
  (size: number | undefined) =>
  (input: ByteReader): string => {
    input.take(input.varint())
    return size === undefined ? 'none' : `${size} uids`
  }

function keptNotes(payload: Uint8Array, take: Take): void {
  const record = decodeKept(payload)
  take('kind', u8)
  take('status', u8)
  take('reserved', skip(1))
  take('uid', u32)
  take('batch', u32)
  take('canceledBy', u32)
  take('enqueuedAt', u64)
  take('startedAt + 1:', u64)
  take('finishedAt + 1:', u64)
  take('count', u32)
  take('index:', optional)
  take('metadata:', optional)
  take('names:', texts)
  take('details:', optional)
  take('error:', optional)
  if (record.error !== null) take('message:', text)
}

function answersNotes(payload: Uint8Array, take: Take): void {
  decodeAnswers(payload)
  take('reserved', skip(3))
  take('uid', u32)
  take('answers', text)
}

function headNotes(payload: Uint8Array, take: Take): void {
  decodeHead(payload)
  take('reserved', skip(3))
  take('nextTask', u32)
  take('nextBatch', u32)
}
