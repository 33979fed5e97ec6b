// A line of `keys.jsonl`: an API key, in snake case. Layout: ./DUMPS.md
import { ACTIONS, type ApiKey, expiryText, readExpiry, uuidOf } from '../../admin/keys/index.ts'
import { formatMicros } from '../../write/tasks/index.ts'
import { corrupted, type Members, membersOf, textOf, textOrNull, textsOf } from './dump-error.ts'
import { microsOf } from './moments.ts'

export const keyLine = (key: ApiKey): Members => ({
  ...(key.description === null ? {} : { description: key.description }),
  ...(key.name === null ? {} : { name: key.name }),
  uid: key.uid,
  actions: key.actions,
  indexes: key.indexes,
  expires_at: key.expiresAt === null ? null : expiryText(key.expiresAt),
  created_at: formatMicros(key.createdAt),
  updated_at: formatMicros(key.updatedAt),
})

/** Actions that are not of this release are left out. @throws DumpError */
export function readKeyLine(value: unknown, place: string): ApiKey {
  const line = membersOf(value, place)
  const end = textOrNull(line['expires_at'], place)
  const expiresAt = end === null ? null : readExpiry(end)
  if (end !== null && expiresAt === null) corrupted(place, 'a date is expected')
  const known: readonly string[] = ACTIONS
  return {
    uid: uuidOf(textOf(line['uid'], place)) ?? corrupted(place, 'a UUID is expected'),
    name: textOrNull(line['name'], place),
    description: textOrNull(line['description'], place),
    actions: textsOf(line['actions'], place).filter((action) => known.includes(action)),
    indexes: textsOf(line['indexes'], place),
    expiresAt,
    createdAt: microsOf(line['created_at'], place),
    updatedAt: microsOf(line['updated_at'], place),
  }
}
