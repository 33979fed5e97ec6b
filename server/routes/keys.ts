// API keys: listing, creating, reading, changing, deleting. A path names a key by its uid or by its
// text.
import { randomUUID } from 'node:crypto'
import {
  type ApiKey,
  expiryText,
  formatMicros,
  type Keys,
  keyText,
  uuidOf,
  type View,
} from '../../engine/index.ts'
import { asUuid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { readKeyPage } from '../parse/index.ts'
import { listText, okReply, type RouteOptions } from './context/index.ts'

const LIST = { permits: 'keys.get', body: 'none', query: readKeyPage } as const
const READ = { permits: 'keys.get', body: 'none', query: null } as const
const CREATE = { permits: 'keys.create', body: jsonBody('keyCreation'), query: null } as const
const UPDATE = { permits: 'keys.update', body: jsonBody('keyUpdate'), query: null } as const
const DELETE = { permits: 'keys.delete', body: 'none', query: null } as const

export function keyRoutes(options: RouteOptions): readonly Route[] {
  const { masterKey } = options
  const { keys } = options.engine
  const view = (key: ApiKey): View => keyView(key, masterKey)
  const need = (name: string): ApiKey => {
    const key = keyNamed(keys, name, masterKey)
    if (key === null) throw new ApiError('api_key_not_found', `API key \`${name}\` not found.`)
    return key
  }

  return [
    route('GET', '/keys', LIST, async ({ query: { offset, limit } }) => {
      const all = keys.list()
      const page = all.slice(offset, offset + limit)
      return okReply(await listText(page, view, { offset, limit, total: all.length }))
    }),
    route('POST', '/keys', CREATE, async ({ body }) => {
      const key = await keys.create({ ...body, uid: body.uid ?? asUuid(randomUUID()) })
      return { status: 201, body: view(key) }
    }),
    route('GET', '/keys/:key', READ, ({ params }) => okReply(view(need(params.key)))),
    route('PATCH', '/keys/:key', UPDATE, async ({ params, body }) =>
      okReply(view(await keys.update(need(params.key).uid, body))),
    ),
    route('DELETE', '/keys/:key', DELETE, async ({ params }) => {
      await keys.remove(need(params.key).uid)
      return { status: 204 }
    }),
  ]
}

const KEY_TEXT = /^[0-9a-f]{64}$/i

/**
 * For a name that is a text, derives the text of every key: 10 ms for a thousand keys, on a rare
 * route.
 */
function keyNamed(keys: Keys, name: string, masterKey: string | null): ApiKey | null {
  const uid = uuidOf(name)
  if (uid !== null) return keys.get(uid) ?? null
  if (masterKey === null || !KEY_TEXT.test(name)) return null
  const text = name.toLowerCase()
  return keys.list().find((key) => keyText(key.uid, masterKey) === text) ?? null
}

const keyView = (key: ApiKey, masterKey: string | null): View => ({
  name: key.name,
  description: key.description,
  key: masterKey === null ? '' : keyText(key.uid, masterKey),
  uid: key.uid,
  actions: key.actions,
  indexes: key.indexes,
  expiresAt: key.expiresAt === null ? null : expiryText(key.expiresAt),
  createdAt: formatMicros(key.createdAt),
  updatedAt: formatMicros(key.updatedAt),
})
