// Any bytes read as a log give records and an end, or a typed error. Writing the records again
// gives a log with the same records. Page: format/log/LOG.md
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import {
  encodeLogHeader,
  LOG_HEADER_BYTES,
  type LogRecord,
  logRecordBytes,
  readLog,
  writeLogRecord,
} from '../format/log/index.ts'
import type { FuzzTarget } from './target.ts'

const KIND = 'TASK'
const SALT = 0x5eed5eed

export const target: FuzzTarget = {
  name: 'log',
  seeds: () => [logOf([]), logOf([[3]]), logOf([[0, 9], [40], [1, 2, 3]]), logOf([[100], [8]], 64)],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 8192,
}

function run(input: Uint8Array): void {
  const records: LogRecord[] = []
  const contents = readLog(input, KIND, (record) => records.push(record))
  assert(contents.validBytes <= input.length, 'a log ends inside its bytes')
  for (const record of records) {
    const again = new Uint8Array(record.bytes)
    const { salt } = contents.header
    writeLogRecord(again, 0, salt, record.sequence, record.group, record.type, record.payload)
    const original = input.subarray(record.offset, record.offset + record.bytes)
    assert(Buffer.compare(again, original) === 0, 'a record has one encoding')
  }
  const prefix = readLog(input.subarray(0, contents.validBytes), KIND, () => undefined)
  assert(prefix.records === contents.records, 'the sound part alone holds the same records')
  assert(prefix.tail === 'clean', 'the sound part alone ends clean')
}

function logOf(groups: readonly (readonly number[])[], room = 0): Uint8Array {
  const sizes = groups.flat()
  const total = sizes.reduce((sum, size) => sum + logRecordBytes(size), LOG_HEADER_BYTES)
  const out = new Uint8Array(total + room)
  out.set(encodeLogHeader({ kind: KIND, number: 1, salt: SALT }))
  let at = LOG_HEADER_BYTES
  let sequence = 0
  for (const group of groups) {
    const first = sequence
    for (const size of group) {
      const payload = new Uint8Array(size).fill(sequence + 1)
      at = writeLogRecord(out, at, SALT, sequence++, first, 1, payload)
    }
  }
  return out
}
