// API keys of versions 4 and 5, as lines of the newest one.
import { createHash } from 'node:crypto'
import { ACTIONS, uuidOf } from '../../admin/keys/index.ts'
import { type Members, membersOf } from './dump-error.ts'

/**
 * Version 4 had short ids instead of UUIDs. Such a key gets a UUID derived from its id, the same
 * one at every import. The text of the key therefore changes, as it does with another master key.
 */
export function newerKey(value: unknown, place: string): Members {
  const { id, uid, actions, ...rest } = membersOf(value, place)
  const known: readonly string[] = ACTIONS
  return {
    ...rest,
    uid: typeof uid === 'string' && uuidOf(uid) !== null ? uid : uuidFrom(String(id ?? uid)),
    actions: Array.isArray(actions) ? actions.filter((action) => known.includes(action)) : [],
  }
}

function uuidFrom(text: string): string {
  const digest = createHash('sha256').update(text).digest().subarray(0, 16)
  digest[6] = (digest[6]! & 0x0f) | 0x80
  digest[8] = (digest[8]! & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
