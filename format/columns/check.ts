// The full check of a columns segment, for `svc-tools check`: every checksum, and whether writing
// the decoded content again gives the same bytes.
import { refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import { ColumnsReader } from './columns-v1.ts'
import { mergeColumns } from './merge.ts'

/** Checks the whole segment; costs as much as merging it. @throws CorruptionError, VersionError */
export function checkColumns(frame: Frame): void {
  frame.verifyAll()
  const reader = ColumnsReader.open(frame)
  let at = 0
  const summary = mergeColumns([{ reader, dead: IdSet.empty }], (bytes) => {
    for (let i = 0; i < bytes.length; i++, at++) {
      if (bytes[i] !== frame.bytes[at]) {
        refuse(frame.kind, at, 'bad_value', bytes[i]!, frame.bytes[at] ?? 'the end')
      }
    }
  })
  if (summary === null || summary.bytes !== frame.bytes.length) {
    refuse(frame.kind, at, 'bad_length', summary?.bytes ?? 0, frame.bytes.length)
  }
}
