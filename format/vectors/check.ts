// Whether a vectors segment is whole, for `svc-tools check`: every checksum, and whether the
// segment, written anew from what it says, comes out as the same bytes.
import { refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import { mergeVectors } from './merge.ts'
import { VectorsReader } from './vectors-v1.ts'

/** Reads everything; costs as much as merging the segment. @throws CorruptionError, VersionError */
export function checkVectors(frame: Frame): void {
  frame.verifyAll()
  const reader = VectorsReader.open(frame)
  let at = 0
  mergeVectors([{ reader, dead: IdSet.empty }], (bytes) => {
    for (let i = 0; i < bytes.length; i++, at++) {
      if (bytes[i] !== frame.bytes[at]) {
        refuse(frame.kind, at, 'bad_value', bytes[i]!, frame.bytes[at] ?? 'the end')
      }
    }
  })
  if (at !== frame.bytes.length) refuse(frame.kind, at, 'bad_length', at, frame.bytes.length)
}
