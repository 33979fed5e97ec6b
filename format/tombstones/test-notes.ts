// Explains the bytes of tombstones, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import { decodeTombstones } from './tombstones-v1.ts'

const CODINGS = ['', 'gaps', 'runs', 'set'] as const

/** @throws CorruptionError, VersionError */
export function tombstoneNotes(bytes: Uint8Array): readonly Note[] {
  const { form, generation, ids } = decodeTombstones(bytes)
  const first = [...ids.first(8)].join(', ')
  return [
    { from: 0, to: 1, text: 'version 1' },
    { from: 1, to: 2, text: `form: ${form}` },
    { from: 2, to: 3, text: `coding: ${CODINGS[bytes[2]!]}` },
    { from: 3, to: 4, text: 'reserved' },
    { from: 4, to: 8, text: `generation ${generation}` },
    { from: 8, to: bytes.length, text: `${ids.size} ids: ${first}${ids.size > 8 ? ', …' : ''}` },
  ]
}
