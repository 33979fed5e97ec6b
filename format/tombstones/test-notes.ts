// Explains the bytes of tombstones, for golden files.
import type { Note } from '../annotate/index.ts'
import { idSetNotes } from '../idset/test-notes.ts'
import { decodeTombstones } from './tombstones-v1.ts'

const CODINGS = ['', 'gaps', 'runs', 'set'] as const

/** @throws CorruptionError, VersionError */
export function tombstoneNotes(bytes: Uint8Array): readonly Note[] {
  const { form, generation, ids } = decodeTombstones(bytes)
  const first = [...ids.first(8)].join(', ')
  const text = `${ids.size} ids: ${first}${ids.size > 8 ? ', …' : ''}`
  const coding = CODINGS[bytes[2]!]
  return [
    { from: 0, to: 1, text: 'version 1' },
    { from: 1, to: 2, text: `form: ${form}` },
    { from: 2, to: 3, text: `coding: ${coding}` },
    { from: 3, to: 4, text: 'reserved' },
    { from: 4, to: 8, text: `generation ${generation}` },
    ...(coding === 'set' ? setNotes(bytes, text) : [{ from: 8, to: bytes.length, text }]),
  ]
}

const setNotes = (bytes: Uint8Array, ids: string): Note[] =>
  idSetNotes(bytes.subarray(8)).map(({ from, to, text }) => ({
    from: from + 8,
    to: to + 8,
    text: from === 0 ? `${ids}; ${text}` : text,
  }))
