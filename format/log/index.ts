// Append-only logs: records, and the end of a log. Layout and rules: ./LOG.md
export { LOG_PAYLOAD_BYTES_MAX } from './limits.ts'
export {
  decodeLogHeader,
  decodeLogRecord,
  encodeLogHeader,
  LOG_HEADER_BYTES,
  LOG_RECORD_HEADER_BYTES,
  LOG_SEAL,
  type LogContents,
  type LogHeader,
  type LogRecord,
  logRecordBytes,
  readLog,
  writeLogRecord,
} from './log-v1.ts'
