// Documents of the network: merges pages of all instances, and fetches single documents that
// another instance holds.
import {
  type DocumentsRequest,
  EngineFault,
  type JsonBytes,
  type SearchContext,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { ApiError } from '../../errors/index.ts'
import { remoteCodeOf } from '../calls/index.ts'
import { isIndexNotFound, lacksIndex } from './absent-index.ts'
import { resolvedFilter } from './foreign.ts'
import type { NetworkCalls } from './network-calls.ts'
import { callOwners } from './owners.ts'
import { mergedPages, type PagesRequest } from './pages.ts'
import type { RequestedShards } from './search-plan.ts'
import { withShards } from './wire-search.ts'

/** Returns `{results, offset, limit, total}`. @throws EngineFault */
export async function networkDocuments(
  searches: NetworkCalls,
  indexUid: IndexUid,
  sent: DocumentsRequest,
  context: SearchContext,
): Promise<JsonBytes> {
  const { offset, limit, filter: given } = sent
  const { filter, errors } = await resolvedFilter(searches, indexUid, given, 'documents', context)
  const request = { ...sent, filter }
  const whole = { ...request, offset: 0, limit: offset + limit, merger: 'self' } as const
  const pages: PagesRequest = {
    indexUid,
    own: (shards) => {
      const own = shards === undefined ? whole : { ...whole, shards }
      return searches.parts.engine.documents.list(indexUid, own, context)
    },
    path: `/indexes/${encodeURIComponent(indexUid)}/documents/fetch`,
    body: (shards, isSharded) => fetchBody(request, shards, isSharded),
    merge: { page: { offset, limit }, remoteErrors: errors },
    kind: 'documents',
  }
  return mergedPages(searches, pages, context)
}

/** Returns the request for another instance: its page from the first document on. */
function fetchBody(
  { offset, limit, fields, retrieveVectors, ids, filter, sort }: DocumentsRequest,
  shards: RequestedShards,
  isSharded: boolean,
): object {
  const condition = withShards(filter, shards)
  return {
    offset: 0,
    limit: offset + limit,
    ...(fields === null ? {} : { fields }),
    ...(retrieveVectors ? { retrieveVectors } : {}),
    ...(ids === null ? {} : { ids }),
    ...(condition === null ? {} : { filter: condition }),
    ...(sort === null ? {} : { sort }),
    ...(isSharded ? { useNetwork: false } : {}),
  }
}

type DocumentOptions = {
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
}

/**
 * Fetches a document that this instance does not hold. @throws ApiError, and `reason` if no other
 * owner has it
 */
export async function networkDocument(
  searches: NetworkCalls,
  indexUid: IndexUid,
  id: string,
  options: DocumentOptions,
  reason: EngineFault,
  { signal, state }: Pick<SearchContext, 'signal' | 'state'>,
): Promise<JsonBytes> {
  const { isSharded } = searches.plan()
  const path = documentPath(indexUid, id, options, isSharded)
  const found = await callOwners(
    searches,
    id,
    { path, body: () => null, signal, state },
    (error) => {
      return lacksDocument(error) || lacksIndex(error)
    },
  )
  if (found.bytes !== null) return found.bytes
  if (found.failure !== null) throw found.failure
  const isKnown = found.refusals.some(lacksDocument)
  throw isKnown && isIndexNotFound(reason) ? absent(id) : reason
}

const lacksDocument = (error: ApiError): boolean => remoteCodeOf(error) === 'document_not_found'

const absent = (id: string): EngineFault =>
  new EngineFault('document_not_found', `Document \`${id}\` not found.`)

function documentPath(
  indexUid: IndexUid,
  id: string,
  options: DocumentOptions,
  isSharded: boolean,
): string {
  const query = new URLSearchParams()
  if (options.fields !== null) query.set('fields', options.fields.join(','))
  if (options.retrieveVectors) query.set('retrieveVectors', 'true')
  if (isSharded) query.set('useNetwork', 'false')
  const text = query.size === 0 ? '' : `?${query}`
  return `/indexes/${encodeURIComponent(indexUid)}/documents/${encodeURIComponent(id)}${text}`
}
