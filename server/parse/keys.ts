// Requests about API keys.

import {
  ACTIONS,
  type Expiry,
  isInstanceWide,
  isOver,
  type KeyPatch,
  readExpiry,
  readUuid,
} from '../../engine/index.ts'
import type { Uuid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import {
  checked,
  finishedBody,
  invalid,
  isIndexUid,
  list,
  member,
  nullable,
  object,
  oneOf,
  PAGE_LIMIT_DEFAULT,
  parameter,
  partial,
  query,
  rawCount,
  required,
  type Schema,
  text,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

export type KeyPage = { readonly offset: number; readonly limit: number }

/** Reads the query string of the list of keys. @throws ApiError */
export const readKeyPage = query<KeyPage>({
  offset: parameter(rawCount, 'invalid_api_key_offset', 0),
  limit: parameter(rawCount, 'invalid_api_key_limit', PAGE_LIMIT_DEFAULT),
})

const indexPattern: Schema<string> = checked(text, (pattern) => {
  const stem = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
  if (pattern === '*' || isIndexUid(stem)) return pattern
  throw invalid(
    `\`${stem}\` is not a valid index uid pattern. Index uid patterns can be an integer or a ` +
      'string containing only alphanumeric characters, hyphens (-), underscores (_), and ' +
      'optionally end with a star (*).',
  )
})

const expiry: Schema<Expiry> = checked(text, (moment) => {
  const found = readExpiry(moment)
  if (found !== null && !isOver(found, Date.now() * 1000)) return found
  throw invalid(
    `\`${moment}\` is not a valid date. It should follow the RFC 3339 format to represents a ` +
      'date or datetime in the future or specified as a null value. ' +
      "e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n",
  )
})

const uuid: Schema<Uuid> = checked(text, (spelling) => {
  const read = readUuid(spelling)
  if (read.uid !== null) return read.uid
  throw invalid(read.problem)
})

export type KeyCreation = {
  readonly description: string | null
  readonly name: string | null
  /** In lower case with hyphens; null lets the server choose one. */
  readonly uid: Uuid | null
  readonly actions: readonly string[]
  readonly indexes: readonly string[]
  readonly expiresAt: Expiry | null
}

const creation: Schema<KeyCreation> = object<KeyCreation>({
  description: member(nullable(text), 'invalid_api_key_description', null),
  name: member(nullable(text), 'invalid_api_key_name', null),
  uid: member<Uuid | null>(uuid, 'invalid_api_key_uid', null),
  actions: required(list(oneOf(ACTIONS)), 'invalid_api_key_actions', 'missing_api_key_actions'),
  indexes: required(list(indexPattern), 'invalid_api_key_indexes', 'missing_api_key_indexes'),
  expiresAt: required(nullable(expiry), 'invalid_api_key_expires_at', 'missing_api_key_expires_at'),
})

/** Reads the body that creates a key. @throws ApiError */
export const readKeyCreation: WholeBody<KeyCreation> = finishedBody(creation, (request) => {
  const { actions, indexes } = request
  const isScoped = indexes.length > 0 && !indexes.includes('*')
  const action = isScoped ? actions.find(isInstanceWide) : undefined
  if (action === undefined) return request
  throw new ApiError(
    'index_scoped_api_key_with_global_action',
    `cannot create index-scoped API key with global action \`"${action}"\`\n` +
      `  - Hint: remove action \`"${action}"\` from the action list, ` +
      'or remove `indexes` to make the key global',
  )
})

const update: Schema<KeyPatch> = partial<KeyPatch>(
  { description: nullable(text), name: nullable(text) },
  { description: 'invalid_api_key_description', name: 'invalid_api_key_name' },
  {
    immutable: {
      uid: 'immutable_api_key_uid',
      actions: 'immutable_api_key_actions',
      indexes: 'immutable_api_key_indexes',
      expiresAt: 'immutable_api_key_expires_at',
      createdAt: 'immutable_api_key_created_at',
      updatedAt: 'immutable_api_key_updated_at',
    },
  },
)

/** Reads the body that changes a key. @throws ApiError */
export const readKeyUpdate: WholeBody<KeyPatch> = wholeBody(update)
