// Documents: reading, adding, deleting. Faults are reported in the order path, query, type of the
// body, body; only `delete-batch` reads its body before its query.
import {
  type BodyFormat,
  type BodyReceiver,
  type EncodedContent,
  EngineFault,
  encodedDeletion,
  encodedEdition,
  type ReceivedBody,
  type Registration,
  type TaskContent,
} from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { bulkJsonBody, jsonBody, type WriteTarget } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { invalidKey, route } from '../http/index.ts'
import {
  type DocumentsBody,
  type DocumentType,
  documentType,
  type Reply,
  type Route,
  type RouteRequest,
} from '../http/messages/index.ts'
import {
  networkDocument,
  networkDocuments,
  requestedShardNames,
} from '../network/searches/index.ts'
import {
  type AdditionQuery,
  apart,
  checkCsvDelimiter,
  type DocumentsQuery,
  documentsRequest,
  type MetadataQuery,
  type MinTask,
  networkFlag,
  readAdditionQuery,
  readDocumentQuery,
  readDocumentsQuery,
  readMetadataQuery,
} from '../parse/index.ts'
import { checkIndexUid } from '../parse/schema/index.ts'
import {
  accepted,
  documentsContext,
  okReply,
  type RouteOptions,
  searchContext,
  seeingWrites,
} from './context/index.ts'
import { isProxied, requireNetwork, usesNetwork } from './searches/index.ts'

type OfIndex<Body = unknown, Query = unknown> = RouteRequest<'indexUid', Body, Query>
type Params = RouteRequest<'indexUid'>['params']

const checkedUid = ({ params }: Pick<OfIndex, 'params'>): null => {
  checkIndexUid(params.indexUid)
  return null
}

const BROWSE = { permits: 'documents.get', body: 'none', query: readDocumentsQuery } as const
const FETCH = { permits: 'documents.get', body: jsonBody('documentsFetch'), query: null } as const
const READ = { permits: 'documents.get', body: 'none', query: readDocumentQuery } as const
const ADD = {
  permits: 'documents.add',
  body: 'documents',
  query: readAdditionQuery,
  precheck: checkedUid,
} as const
const DELETE = { permits: 'documents.delete', body: 'none', query: readMetadataQuery } as const

export const documentRoutes = (options: RouteOptions): readonly Route[] => {
  const { engine, instances } = options
  return [
    route('GET', '/indexes/:indexUid/documents', BROWSE, (request) =>
      browse(options, request, request.query),
    ),
    route('POST', '/indexes/:indexUid/documents/fetch', FETCH, (request) =>
      browse(options, request, request.body),
    ),
    route('GET', '/indexes/:indexUid/documents/:documentId', READ, async (request) => {
      const { params, context } = request
      const { rest: query, minTask } = apart(request.query)
      checkIndexUid(params.indexUid)
      requestedShardNames(engine, context)
      const { indexUid, documentId } = params
      const { fields, retrieveVectors } = query
      const isNetwork = usesNetwork(
        engine,
        networkFlag(query.useNetwork, engine.administration.features.network),
      )
      const parts = { indexes: [indexUid], minTask, isNetwork }
      return seeingWrites(options, request, parts, async (state) => {
        try {
          return okReply(await engine.documents.get(indexUid, documentId, fields, retrieveVectors))
        } catch (error) {
          if (!isNetwork || !mayBeElsewhere(error)) throw error
          const query = { fields, retrieveVectors }
          const { searches } = instances
          const { signal } = context
          const asking = { signal, state }
          return okReply(
            await networkDocument(searches, indexUid, documentId, query, error, asking),
          )
        }
      })
    }),
    route('POST', '/indexes/:indexUid/documents', ADD, (request) =>
      add(options, request, 'replace'),
    ),
    route('PUT', '/indexes/:indexUid/documents', ADD, (request) => add(options, request, 'update')),
    ...deletions(options),
    editing(options),
  ]
}

const ELSEWHERE: ReadonlySet<string> = new Set(['document_not_found', 'index_not_found'])

const mayBeElsewhere = (error: unknown): error is EngineFault =>
  error instanceof EngineFault && ELSEWHERE.has(error.code)

async function browse(
  options: RouteOptions,
  by: OfIndex,
  query: DocumentsQuery & Partial<MinTask>,
): Promise<Reply> {
  const { engine, instances } = options
  const { indexUid } = by.params
  checkIndexUid(indexUid)
  const given = networkFlag(query.useNetworkText ?? null, engine.administration.features.network)
  const isNetwork = usesNetwork(engine, given ?? query.useNetwork)
  const request = documentsRequest(query)
  const { minTask } = apart(query)
  if (isNetwork && engine.network.get().remotes.size > 0) {
    const parts = { indexes: [indexUid], minTask, isNetwork }
    return seeingWrites(options, by, parts, async (state) => {
      const searching = searchContext(by, engine.administration.features, state)
      return okReply(await networkDocuments(instances.searches, indexUid, request, searching))
    })
  }
  const context = documentsContext(by)
  const proxied = isProxied(by.context)
  if (proxied) requireNetwork(engine.administration.features)
  const shardNames = requestedShardNames(engine, by.context)
  const served = shardNames === undefined ? context : { ...context, shardNames }
  const own = isNetwork ? { ...request, ids: [] } : request
  const listed = proxied ? ({ ...own, merger: 'other' } as const) : own
  const parts = { indexes: [indexUid], minTask, isNetwork: false }
  return seeingWrites(options, by, parts, async () =>
    okReply(await engine.documents.list(indexUid, listed, served)),
  )
}

/**
 * Writes a body to disk as it arrives; if the engine refuses it half-way, the whole body is
 * discarded.
 */
async function add(
  { engine, registrationOf }: RouteOptions,
  { params, query, body: sent, caller, context }: OfIndex<DocumentsBody, AdditionQuery>,
  method: 'replace' | 'update',
): Promise<Reply> {
  const { primaryKey, skipCreation, customMetadata, csvDelimiter } = query
  const format = bodyFormat(documentType(context.header('content-type')), csvDelimiter)
  const body = await received(engine.documents.receive(format), sent)
  let registration: Registration | undefined
  try {
    // A body may take hours, and its key may be deleted in the meantime.
    if (!caller.isValid()) throw invalidKey()
    registration = registrationOf(context)
  } catch (error) {
    // After a refusal no task will use the body.
    await engine.documents.discard(body)
    throw error
  }
  return accepted(
    await engine.documents.enqueueDocuments(asIndexUid(params.indexUid), body, {
      method,
      primaryKey,
      skipCreation,
      allowIndexCreation: caller.mayCreateIndex,
      customMetadata,
      registration,
    }),
  )
}

async function received(receiver: BodyReceiver, body: DocumentsBody): Promise<ReceivedBody> {
  try {
    await body.pour(receiver)
    return await receiver.finish()
  } catch (error) {
    // Any failure: the client's fault, the disk's or a lost connection.
    await receiver.abort()
    throw error
  }
}

const CSV_DELIMITER_DEFAULT = ','

function bodyFormat(type: DocumentType, delimiter: AdditionQuery['csvDelimiter']): BodyFormat {
  if (delimiter !== null) checkCsvDelimiter(delimiter)
  if (type === 'text/csv') return { kind: 'csv', delimiter: delimiter ?? CSV_DELIMITER_DEFAULT }
  if (delimiter !== null) {
    throw new ApiError(
      'invalid_content_type',
      `The Content-Type \`${type}\` does not support the use of a csv delimiter. ` +
        'The csv delimiter can only be used with the Content-Type `text/csv`.',
    )
  }
  return { kind: type === 'application/json' ? 'json' : 'ndjson' }
}

/** The context for checks while a body is read. */
const targetOf =
  ({ engine }: RouteOptions) =>
  ({ indexUid }: Params) =>
    [{ indexUid, features: engine.administration.features }] as [WriteTarget]

type Write = (
  request: OfIndex<unknown, MetadataQuery>,
  content: TaskContent | EncodedContent,
) => Promise<Reply>

const writer =
  ({ engine, registrationOf }: RouteOptions): Write =>
  async ({ params: { indexUid }, query: { customMetadata }, context }, content) => {
    const registration = registrationOf(context)
    return accepted(
      await engine.tasks.enqueue({
        indexUid: asIndexUid(indexUid),
        content,
        customMetadata,
        registration,
      }),
    )
  }

function deletions(options: RouteOptions): readonly Route[] {
  const write = writer(options)
  const kind = 'documentDeletion'

  return [
    route('DELETE', '/indexes/:indexUid/documents', DELETE, (request) => {
      checkIndexUid(request.params.indexUid)
      return write(request, { kind, by: 'all' })
    }),
    route('DELETE', '/indexes/:indexUid/documents/:documentId', DELETE, (request) => {
      const { indexUid, documentId } = request.params
      checkIndexUid(indexUid)
      return write(request, { kind, by: 'ids', ids: [documentId] })
    }),
    route(
      'POST',
      '/indexes/:indexUid/documents/delete-batch',
      { ...DELETE, body: bulkJsonBody('deletedIds'), isBodyFirst: true },
      (request) => {
        const { count, json } = request.body
        checkIndexUid(request.params.indexUid)
        return write(request, encodedDeletion.byIds(count, json))
      },
    ),
    route(
      'POST',
      '/indexes/:indexUid/documents/delete',
      { ...DELETE, body: jsonBody('deletionFilter', targetOf(options)) },
      (request) => write(request, encodedDeletion.byFilter(request.body)),
    ),
  ]
}

const editing = (options: RouteOptions): Route => {
  const write = writer(options)
  const body = bulkJsonBody('edition', targetOf(options))
  // Only keys with all actions may edit.
  const rules = { permits: '*', body, query: readMetadataQuery }
  return route('POST', '/indexes/:indexUid/documents/edit', rules, (request) =>
    write(request, encodedEdition(request.body)),
  )
}
