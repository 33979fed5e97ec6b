// Indexes: listing, creating, changing, deleting, swapping.
import type { TaskContent } from '../../engine/index.ts'
import { asIndexUid, type IndexUid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { invalidKey, route } from '../http/index.ts'
import type { Caller, Reply, RequestContext, Route } from '../http/messages/index.ts'
import { readIndexPage } from '../parse/index.ts'
import { checkIndexUid } from '../parse/schema/index.ts'
import { accepted, indexView, listText, okReply, type RouteOptions } from './context/index.ts'

/** Only this route uses this message. */
const reservedUidProblem = (uid: string): string =>
  `${uid} is not a valid index uid. Index uid can be an integer or a string containing only ` +
  'alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 400 bytes.'

const LIST = { permits: 'indexes.get', body: 'none', query: readIndexPage } as const
const READ = { permits: 'indexes.get', body: 'none', query: null } as const
const CREATE = { permits: 'indexes.create', body: jsonBody('indexCreation'), query: null } as const
const UPDATE = { permits: 'indexes.update', body: jsonBody('indexUpdate'), query: null } as const
const DELETE = { permits: 'indexes.delete', body: 'none', query: null } as const
const FIELDS = { permits: 'fields.post', body: jsonBody('fields'), query: null } as const
const COMPACT = { permits: 'indexes.compact', body: 'none', query: null } as const
const SWAP = { permits: 'indexes.swap', body: jsonBody('swaps'), query: null } as const

export function indexRoutes({ engine, registrationOf }: RouteOptions): readonly Route[] {
  const write = async (
    context: RequestContext,
    indexUid: IndexUid | null,
    content: TaskContent,
  ): Promise<Reply> => {
    const registration = registrationOf(context)
    const request = { indexUid, content, customMetadata: null, registration }
    return accepted(await engine.tasks.enqueue(request))
  }

  return [
    route('GET', '/indexes', LIST, async ({ query: { offset, limit }, caller }) => {
      const all = engine.documents.listIndexes(caller.visible)
      const page = all.slice(offset, offset + limit)
      return okReply(await listText(page, indexView, { offset, limit, total: all.length }))
    }),
    route('POST', '/indexes', CREATE, ({ body: { uid, primaryKey }, caller, context }) => {
      requireVisible(caller, [uid])
      return write(context, uid, { kind: 'indexCreation', primaryKey })
    }),
    route('GET', '/indexes/:indexUid', READ, ({ params }) => {
      checkIndexUid(params.indexUid)
      return okReply(indexView(engine.documents.index(params.indexUid)))
    }),
    route('PATCH', '/indexes/:indexUid', UPDATE, ({ params, body, caller, context }) => {
      const { primaryKey, newUid } = body
      checkIndexUid(params.indexUid)
      if (newUid !== null) requireVisible(caller, [newUid])
      return write(context, params.indexUid, { kind: 'indexUpdate', primaryKey, newUid })
    }),
    route('DELETE', '/indexes/:indexUid', DELETE, ({ params, context }) => {
      checkIndexUid(params.indexUid)
      return write(context, params.indexUid, { kind: 'indexDeletion' })
    }),
    route('POST', '/indexes/:indexUid/fields', FIELDS, async ({ params: { indexUid }, body }) => {
      // Any name is looked up here: an invalid name is simply not found. Reserved names have their
      // own message.
      if (indexUid.startsWith('.meili')) {
        throw new ApiError('invalid_index_uid', reservedUidProblem(indexUid))
      }
      return okReply(await engine.documents.fields(asIndexUid(indexUid), body))
    }),
    route('POST', '/indexes/:indexUid/compact', COMPACT, ({ params, context }) => {
      checkIndexUid(params.indexUid)
      return write(context, params.indexUid, { kind: 'indexCompaction' })
    }),
    route('POST', '/swap-indexes', SWAP, ({ body: swaps, caller, context }) => {
      requireVisible(
        caller,
        swaps.flatMap(({ indexes }) => indexes),
      )
      return write(context, null, { kind: 'indexSwap', swaps })
    }),
  ]
}

/**
 * Refuses names in a body that the caller's key does not cover. @throws ApiError invalid_api_key
 */
function requireVisible({ visible }: Caller, indexUids: readonly IndexUid[]): void {
  if (visible !== null && !indexUids.every(visible)) throw invalidKey()
}
