// A line of `keys.jsonl`: an API key, in snake case. Layout: ./DUMPS.md
import {
  nullable,
  objectWith,
  open,
  type Schema,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { ACTIONS, type ApiKey, expiryText, readExpiry, uuidOf } from '../../admin/keys/index.ts'
import { formatMicros } from '../../write/task-data/index.ts'
import { corrupted, type Members, readAs } from './dump-error.ts'
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

type KeyLine = Pick<ApiKey, 'actions' | 'indexes'> & {
  readonly uid: string
  readonly created_at: string
  readonly updated_at: string
  readonly expires_at?: string | null
  readonly name?: string | null
  readonly description?: string | null
}

const maybeText = nullable(text)
const KEY_LINE: Schema<KeyLine> = open(
  objectWith<KeyLine>(
    { uid: text, actions: texts, indexes: texts, created_at: text, updated_at: text },
    { expires_at: maybeText, name: maybeText, description: maybeText },
  ),
)

/** Actions that this release does not have are left out. @throws DumpError */
export function readKeyLine(value: unknown, place: string): ApiKey {
  const line = readAs(KEY_LINE, value, place)
  const { expires_at: end = null, name = null, description = null, indexes } = line
  const expiresAt = end === null ? null : readExpiry(end)
  if (end !== null && expiresAt === null) corrupted(place, 'a date is expected')
  const known: readonly string[] = ACTIONS
  return {
    uid: uuidOf(line.uid) ?? corrupted(place, 'a UUID is expected'),
    name,
    description,
    actions: line.actions.filter((action) => known.includes(action)),
    indexes,
    expiresAt,
    createdAt: microsOf(line.created_at, place),
    updatedAt: microsOf(line.updated_at, place),
  }
}
