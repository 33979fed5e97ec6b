// Explains the bytes of a key record element by element, for golden files and fuzzing.
import { Encoder } from '@msgpack/msgpack'
import type { Note } from '../annotate/index.ts'
import { decodeKey } from './keys-v1.ts'

/** Explains the bytes of a sound record. @throws CorruptionError, VersionError */
export function keyNotes(bytes: Uint8Array): readonly Note[] {
  const key = decodeKey(bytes)
  const { expiresAt } = key
  const end =
    expiresAt === null ? null : [expiresAt.seconds, expiresAt.nanos, expiresAt.offsetMinutes]
  const elements: readonly (readonly [string, unknown])[] = [
    ['name', key.name],
    ['description', key.description],
    ['actions', key.actions],
    ['indexes', key.indexes],
    ['expiresAt', end],
    ['createdAt', key.createdAt],
    ['updatedAt', key.updatedAt],
  ]
  const notes: Note[] = [{ from: 0, to: 2, text: 'eight elements, version 1' }]
  const encoder = new Encoder()
  let at = 2
  for (const [name, value] of elements) {
    const to = at + encoder.encode(value).length
    notes.push({ from: at, to, text: `${name}: ${shown(value)}` })
    at = to
  }
  return notes
}

const SHOWN_MAX = 80

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1)}…` : text
}
