// Documents: reading, adding, deleting. What is wrong is told in the order path, query, type of the
// body, body; `delete-batch` alone reads its body before its query.
import {
  type BodyFormat,
  type BodyReceiver,
  type EncodedContent,
  type Engine,
  encodedDeletion,
  encodedEdition,
  type ReceivedBody,
  type TaskContent,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import {
  type DocumentType,
  documentType,
  invalidKey,
  type Reply,
  type Route,
  type RouteRequest,
  type Rules,
  route,
} from '../http/index.ts'
import {
  type AdditionQuery,
  checkCsvDelimiter,
  checkIndexUid,
  type DocumentsQuery,
  documentsRequest,
  readAdditionQuery,
  readDocumentQuery,
  readDocumentsQuery,
  readMetadataQuery,
} from '../parse/index.ts'
import { checkUseNetwork } from './gates.ts'
import { documentsContext } from './metadata.ts'
import { askedOfNetwork, networkAnswer, withRemoteErrors } from './network-search.ts'
import type { RouteOptions } from './options.ts'
import { accepted, found } from './views.ts'

type OfIndex = RouteRequest<'indexUid'>

const READ: Rules = { permits: 'documents.get', body: 'none', query: true }
const ADD: Rules = { permits: 'documents.add', body: 'documents', query: true }
const DELETE: Rules = { permits: 'documents.delete', body: 'none', query: true }

export const documentRoutes = ({ engine, bodies }: RouteOptions): readonly Route[] => [
  route('GET', '/indexes/:indexUid/documents', READ, (request) =>
    browse(engine, request, readDocumentsQuery(request.query)),
  ),
  route(
    'POST',
    '/indexes/:indexUid/documents/fetch',
    { permits: 'documents.get', body: 'json', query: false },
    async (request) => {
      const asked = await bodies.read(request, 'documentsFetch')
      return browse(engine, request, asked)
    },
  ),
  route('GET', '/indexes/:indexUid/documents/:documentId', READ, async ({ params, query }) => {
    const { fields, retrieveVectors } = readDocumentQuery(query)
    checkIndexUid(params.indexUid)
    const { indexUid, documentId } = params
    return found(await engine.document(indexUid, documentId, fields, retrieveVectors))
  }),
  route('POST', '/indexes/:indexUid/documents', ADD, (request) => add(engine, request, 'replace')),
  route('PUT', '/indexes/:indexUid/documents', ADD, (request) => add(engine, request, 'update')),
  ...deletions(engine, bodies),
  editing(engine, bodies),
]

async function browse(engine: Engine, by: OfIndex, asked: DocumentsQuery): Promise<Reply> {
  const { indexUid } = by.params
  checkIndexUid(indexUid)
  checkUseNetwork(asked.useNetwork, engine.features)
  const request = documentsRequest(asked)
  const context = documentsContext(by)
  const network = engine.network.get()
  if (asked.useNetwork !== true || network.remotes.size === 0) {
    return found(await engine.documents(indexUid, request, context))
  }
  const meant = askedOfNetwork(network)
  const own = meant.isOwn ? request : { ...request, ids: [] }
  const listed = await engine.documents(indexUid, own, context)
  return found(withRemoteErrors(listed, networkAnswer(network, [meant])))
}

/** A body goes to disk as it comes; what the engine refuses half way is forgotten as a whole. */
async function add(engine: Engine, request: OfIndex, method: 'replace' | 'update'): Promise<Reply> {
  const { indexUid } = request.params
  checkIndexUid(indexUid)
  const { primaryKey, skipCreation, customMetadata, csvDelimiter } = readAdditionQuery(
    request.query,
  )
  const format = bodyFormat(documentType(request.header('content-type')), csvDelimiter)
  const body = await received(engine.receive(format), request)
  // A body may take hours, and its key be deleted meanwhile.
  if (!request.caller.isValid()) {
    await engine.discard(body)
    throw invalidKey()
  }
  return accepted(
    await engine.enqueueDocuments(indexUid, body, {
      method,
      primaryKey,
      skipCreation,
      allowIndexCreation: request.caller.mayCreateIndex,
      customMetadata,
    }),
  )
}

async function received(receiver: BodyReceiver, request: OfIndex): Promise<ReceivedBody> {
  try {
    await request.pour(receiver)
    return await receiver.finish()
  } catch (error) {
    // Whatever it was: the client's fault, the disk's or a lost connection.
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

function deletions(engine: Engine, bodies: RouteOptions['bodies']): readonly Route[] {
  const write = async (
    indexUid: string,
    content: TaskContent | EncodedContent,
    { customMetadata }: { readonly customMetadata: string | null },
  ): Promise<Reply> => accepted(await engine.enqueue({ indexUid, content, customMetadata }))
  const kind = 'documentDeletion'

  return [
    route('DELETE', '/indexes/:indexUid/documents', DELETE, ({ params, query }) => {
      const asked = readMetadataQuery(query)
      checkIndexUid(params.indexUid)
      return write(params.indexUid, { kind, by: 'all' }, asked)
    }),
    route('DELETE', '/indexes/:indexUid/documents/:documentId', DELETE, ({ params, query }) => {
      const asked = readMetadataQuery(query)
      checkIndexUid(params.indexUid)
      return write(params.indexUid, { kind, by: 'ids', ids: [params.documentId] }, asked)
    }),
    route(
      'POST',
      '/indexes/:indexUid/documents/delete-batch',
      { permits: 'documents.delete', body: 'bulkJson', query: true },
      async (request) => {
        const { count, json } = await bodies.read(request, 'deletedIds')
        const asked = readMetadataQuery(request.query)
        checkIndexUid(request.params.indexUid)
        return write(request.params.indexUid, encodedDeletion.byIds(count, json), asked)
      },
    ),
    route(
      'POST',
      '/indexes/:indexUid/documents/delete',
      { permits: 'documents.delete', body: 'json', query: true },
      async (request) => {
        const { indexUid } = request.params
        const asked = readMetadataQuery(request.query)
        const { features } = engine
        const filter = await bodies.read(request, 'deletionFilter', { indexUid, features })
        return write(indexUid, encodedDeletion.byFilter(filter), asked)
      },
    ),
  ]
}

/** Only keys for everything may. */
const EDIT: Rules = { permits: '*', body: 'bulkJson', query: true }

const editing = (engine: Engine, bodies: RouteOptions['bodies']): Route =>
  route('POST', '/indexes/:indexUid/documents/edit', EDIT, async (request) => {
    const { indexUid } = request.params
    const { customMetadata } = readMetadataQuery(request.query)
    const { features } = engine
    const edition = await bodies.read(request, 'edition', { indexUid, features })
    const content = encodedEdition(edition)
    return accepted(await engine.enqueue({ indexUid, content, customMetadata }))
  })
