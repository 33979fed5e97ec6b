// The text of a key: never stored, computed from its uid and the master key.
import { createHmac } from 'node:crypto'
import type { Uuid } from '../../../format/ids.ts'

/** Returns 64 hex digits in lower case. `uid` is in its hyphenated form. */
export const keyText = (uid: Uuid, masterKey: string): string =>
  createHmac('sha256', masterKey).update(uid).digest('hex')
