// The full check of a vectors segment, for `svc-tools check`: every checksum, and whether writing
// the decoded content again gives the same bytes.
import { refuse } from '../errors.ts'
import type { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import { LIST_RULE, NO_LISTS } from '../vector-codes/index.ts'
import { mergeVectors } from './merge.ts'
import { VectorsReader } from './vectors-v1.ts'

/** Checks the whole segment; costs as much as merging it. @throws CorruptionError, VersionError */
export function checkVectors(frame: Frame): void {
  frame.verifyAll()
  const reader = VectorsReader.open(frame)
  let at = 0
  const compare = (bytes: Uint8Array): void => {
    for (let i = 0; i < bytes.length; i++, at++) {
      if (bytes[i] !== frame.bytes[at]) {
        refuse(frame.kind, at, 'bad_value', bytes[i]!, frame.bytes[at] ?? 'the end')
      }
    }
  }
  // Releases that do not know lists write none; nor does any release where lists save nothing.
  const rule = frame.has('LIST') ? LIST_RULE : NO_LISTS
  mergeVectors([{ reader, dead: IdSet.empty }], compare, () => undefined, rule)
  if (at !== frame.bytes.length) refuse(frame.kind, at, 'bad_length', at, frame.bytes.length)
}
