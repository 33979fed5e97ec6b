// Explains the payload of an edit change by change, for golden files.

import { Encoder } from '@msgpack/msgpack'
import type { Note } from '../annotate/index.ts'
import { assert } from '../errors.ts'
import type { Change } from './changes.ts'
import { decodeEdit } from './decode-v1.ts'
import { encodeEdit } from './encode-v1.ts'

/**
 * Explains the bytes of a sound edit, one note per change. @throws CorruptionError, VersionError
 */
export function editNotes(bytes: Uint8Array): readonly Note[] {
  const edit = decodeEdit(bytes)
  const empty = encodeEdit({ ...edit, changes: [] })
  const countBytes = new Encoder().encode(new Array(edit.changes.length).fill(null)).length
  let at = empty.length - 1 + countBytes - edit.changes.length
  const flag = edit.checkpoint ? 'checkpoint' : 'no flags'
  const head = `version 1, ${flag}, sequence ${edit.sequence}, ${edit.changes.length} changes`
  const notes: Note[] = [{ from: 0, to: at, text: head }]
  for (const change of edit.changes) {
    const length = encodeEdit({ ...edit, changes: [change] }).length - empty.length
    notes.push({ from: at, to: at + length, text: describeChange(change) })
    at += length
  }
  assert(at === bytes.length, 'notes cover the edit')
  return notes
}

/** Returns one line for people: the kind and its members, long ones by their size. */
export function describeChange(change: Change): string {
  const { kind, ...members } = change
  const shown = Object.entries(members).map(([name, value]) => `${name} ${describe(value)}`)
  return `${kind}: ${shown.join(', ')}`
}

function describe(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (typeof value === 'object' && value !== null && 'toArray' in value && 'size' in value) {
    return `${value.size} ids`
  }
  if (Array.isArray(value) && value.length > 8) return `${value.length} elements`
  if (typeof value === 'object' && value !== null && 'frame' in value) return 'inline'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
