// Explains the bytes of a log line by line, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import type { Tag } from '../frame/index.ts'
import {
  LOG_HEADER_BYTES,
  LOG_RECORD_HEADER_BYTES,
  LOG_SEAL,
  type LogRecord,
  readLog,
} from './log-v1.ts'

/**
 * Explains a sound or torn log. `describe` returns the meaning of a payload.
 * @throws CorruptionError, VersionError
 */
export function logNotes(
  bytes: Uint8Array,
  kind: Tag,
  describe: (record: LogRecord) => string,
): readonly Note[] {
  const notes: Note[] = []
  const note = (from: number, to: number, text: string): void => {
    if (to > from) notes.push({ from, to, text })
  }
  const records: LogRecord[] = []
  const contents = readLog(bytes, kind, (record) => records.push(record))
  note(0, 4, 'magic "SVCL"')
  note(4, 8, `kind "${kind}"`)
  note(8, 10, 'version 1')
  note(10, 12, 'reserved')
  note(12, 16, 'mark of this file')
  note(16, 24, `number ${contents.header.number}`)
  note(24, 28, 'reserved')
  note(28, LOG_HEADER_BYTES, 'checksum')
  let at = LOG_HEADER_BYTES
  for (const record of records) {
    note(at, record.offset, 'seals')
    const from = record.offset
    const payload = from + LOG_RECORD_HEADER_BYTES
    note(from, from + 8, 'mark, checksum')
    note(from + 8, from + 12, `length ${record.payload.length}`)
    note(from + 12, from + 20, `sequence ${record.sequence}, group ${record.group}`)
    note(from + 20, payload, `type ${record.type}, reserved`)
    note(payload, payload + record.payload.length, describe(record))
    at = from + record.bytes
    note(payload + record.payload.length, at, 'padding')
  }
  note(at, contents.validBytes, `seals (type ${LOG_SEAL})`)
  note(contents.validBytes, bytes.length, contents.tail === 'clean' ? 'room' : 'torn')
  return notes
}
