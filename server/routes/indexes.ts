// Indexes: listing, creating, changing, deleting, swapping.
import type { TaskContent } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import {
  type Caller,
  invalidKey,
  type Reply,
  type Route,
  type Rules,
  route,
} from '../http/index.ts'
import { checkIndexUid, readIndexPage } from '../parse/index.ts'
import { listText } from './list-text.ts'
import type { RouteOptions } from './options.ts'
import { accepted, found, indexView } from './views.ts'

/** Clients know these words from this route alone. */
const reservedUidProblem = (uid: string): string =>
  `${uid} is not a valid index uid. Index uid can be an integer or a string containing only ` +
  'alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 400 bytes.'

const LIST: Rules = { permits: 'indexes.get', body: 'none', query: true }
const READ: Rules = { permits: 'indexes.get', body: 'none', query: false }
const CREATE: Rules = { permits: 'indexes.create', body: 'json', query: false }
const UPDATE: Rules = { permits: 'indexes.update', body: 'json', query: false }
const DELETE: Rules = { permits: 'indexes.delete', body: 'none', query: false }
const FIELDS: Rules = { permits: 'fields.post', body: 'json', query: false }
const COMPACT: Rules = { permits: 'indexes.compact', body: 'none', query: false }
const SWAP: Rules = { permits: 'indexes.swap', body: 'json', query: false }

export function indexRoutes({ engine, bodies }: RouteOptions): readonly Route[] {
  const write = async (indexUid: string | null, content: TaskContent): Promise<Reply> =>
    accepted(await engine.enqueue({ indexUid, content, customMetadata: null }))

  return [
    route('GET', '/indexes', LIST, async ({ query, caller }) => {
      const { offset, limit } = readIndexPage(query)
      const all = engine.listIndexes(caller.visible)
      const page = all.slice(offset, offset + limit)
      return found(await listText(page, indexView, { offset, limit, total: all.length }))
    }),
    route('POST', '/indexes', CREATE, async (request) => {
      const { uid, primaryKey } = await bodies.read(request, 'indexCreation')
      requireVisible(request.caller, [uid])
      return write(uid, { kind: 'indexCreation', primaryKey })
    }),
    route('GET', '/indexes/:indexUid', READ, ({ params }) => {
      checkIndexUid(params.indexUid)
      return found(indexView(engine.index(params.indexUid)))
    }),
    route('PATCH', '/indexes/:indexUid', UPDATE, async (request) => {
      const { primaryKey, newUid } = await bodies.read(request, 'indexUpdate')
      checkIndexUid(request.params.indexUid)
      if (newUid !== null) requireVisible(request.caller, [newUid])
      return write(request.params.indexUid, { kind: 'indexUpdate', primaryKey, newUid })
    }),
    route('DELETE', '/indexes/:indexUid', DELETE, ({ params }) => {
      checkIndexUid(params.indexUid)
      return write(params.indexUid, { kind: 'indexDeletion' })
    }),
    route('POST', '/indexes/:indexUid/fields', FIELDS, async (request) => {
      const asked = await bodies.read(request, 'fields')
      // Any name is looked up here: one that no index can have is not found. Those of a family that
      // is set apart are refused in words of their own.
      const { indexUid } = request.params
      if (indexUid.startsWith('.meili')) {
        throw new ApiError('invalid_index_uid', reservedUidProblem(indexUid))
      }
      return found(await engine.fields(request.params.indexUid, asked))
    }),
    route('POST', '/indexes/:indexUid/compact', COMPACT, ({ params }) => {
      checkIndexUid(params.indexUid)
      return write(params.indexUid, { kind: 'indexCompaction' })
    }),
    route('POST', '/swap-indexes', SWAP, async (request) => {
      const swaps = await bodies.read(request, 'swaps')
      requireVisible(
        request.caller,
        swaps.flatMap(({ indexes }) => indexes),
      )
      return write(null, { kind: 'indexSwap', swaps })
    }),
  ]
}

/** Refuses names in a body that the caller's key is not for. @throws ApiError invalid_api_key */
function requireVisible({ visible }: Caller, indexUids: readonly string[]): void {
  if (visible !== null && !indexUids.every(visible)) throw invalidKey()
}
