// Documents over the network: pages of all instances as one, and single documents that another
// instance has.
import {
  type DocumentsContext,
  type DocumentsRequest,
  EngineFault,
  elected,
  type JsonBytes,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { absentIndex, isIndexNotFound, lacksIndex } from './absent-index.ts'
import { type Ask, Gathering } from './gather.ts'
import { FIRST_MS } from './limits.ts'
import type { AskedShards } from './search-plan.ts'
import type { NetworkSearches } from './searches.ts'
import { servingHeaders } from './serving.ts'
import { withShards } from './wire-search.ts'

/** `{results, offset, limit, total}`. @throws EngineFault */
export async function networkDocuments(
  searches: NetworkSearches,
  indexUid: string,
  request: DocumentsRequest,
  context: DocumentsContext,
): Promise<JsonBytes> {
  const room = searches.room()
  try {
    return await inRoom(searches, indexUid, request, context, room.take)
  } finally {
    room.release()
  }
}

async function inRoom(
  searches: NetworkSearches,
  indexUid: string,
  request: DocumentsRequest,
  context: DocumentsContext,
  take: (bytes: number) => boolean,
): Promise<JsonBytes> {
  const { engine, availability, searchMs, now, hedges } = searches.parts
  const plan = searches.plan()
  const { own, isSharded, network } = plan
  const { offset, limit } = request
  const whole = { ...request, offset: 0, limit: offset + limit, isProxied: true, isPart: true }
  const shards = own === undefined ? [] : isSharded ? (own ?? []) : undefined
  const asked = shards === undefined ? whole : { ...whole, shards }
  const mine = engine
    .documents(indexUid, asked, context)
    .catch((error: unknown) => absentIndex(error, plan))
  const path = `/indexes/${encodeURIComponent(indexUid)}/documents/fetch`
  const ask: Ask = (remote, call, ms, signal) => {
    const body = fetchBody(request, call.shards, isSharded)
    const headers = servingHeaders(network, call.shards)
    return searches.call(remote, { path, body, headers, ms, signal, take })
  }
  const { latencies } = searches
  const signal = context.signal ?? null
  const parts = { availability, searchMs, now, marks: false, latencies, hedges, signal }
  const gathering = new Gathering(plan, ask, parts)
  const others = gathering.begin()
  others.catch(thrownBelow)
  const first = await mine
  await others
  if (first instanceof EngineFault) {
    await gathering.addOwn()
    if (gathering.answers.length === 0) throw first
  }
  const mineAlone = first instanceof EngineFault ? [] : [first]
  for (;;) {
    const { answers, errors } = gathering
    const merge = {
      answers: [...mineAlone, ...answers.map(({ bytes }) => bytes)],
      page: { offset, limit },
      remoteErrors: errors,
    }
    try {
      return await engine.mergeDocuments(indexUid, merge, context)
    } catch (error) {
      if (!(error instanceof EngineFault) || error.code !== 'remote_bad_response') throw error
      const answer = answers[Number(error.message) - mineAlone.length]
      if (answer === undefined) throw error
      await gathering.refuse(answer, badResponse())
    }
  }
}

/** What another instance is asked: its page from the first document on. */
function fetchBody(
  { offset, limit, fields, retrieveVectors, ids, filter, sort }: DocumentsRequest,
  shards: AskedShards,
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

const thrownBelow = (): void => undefined

const badResponse = (): ApiError =>
  new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as a documents response',
  )

type AskedDocument = {
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
}

/**
 * A document that this instance does not hold, for the reason given. @throws ApiError, and `reason`
 * where no other owner has it
 */
export async function networkDocument(
  searches: NetworkSearches,
  indexUid: string,
  id: string,
  asked: AskedDocument,
  reason: EngineFault,
  signal: AbortSignal,
): Promise<JsonBytes> {
  const { availability, searchMs, now } = searches.parts
  const { network, isSharded } = searches.plan()
  const shard = isSharded ? elected([...network.shards.keys()], id) : null
  const owners = shard === null ? [...network.remotes.keys()] : network.shards.get(shard)!.remotes
  const others = owners.filter((name) => name !== network.self)
  const inOrder = [
    ...others.filter((name) => availability.isAvailable(name)),
    ...others.filter((name) => !availability.isAvailable(name)),
  ]
  const path = documentPath(indexUid, id, asked, isSharded)
  const headers = servingHeaders(network, shard === null ? null : [shard])
  const end = now() + searchMs
  const room = searches.room()
  let failure: Error = reason
  try {
    for (const [at, name] of inOrder.entries()) {
      const left = Math.max(1, end - now())
      const ms = at + 1 < inOrder.length ? Math.min(FIRST_MS, left) : left
      const call = { path, body: null, headers, ms, signal, take: room.take }
      try {
        return await searches.call(network.remotes.get(name)!, call)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (lacksDocument(error)) failure = isIndexNotFound(failure) ? absent(id) : failure
        else if (!lacksIndex(error)) failure = error
      }
    }
  } finally {
    room.release()
  }
  throw failure
}

const lacksDocument = ({ message }: ApiError): boolean => message.includes('"document_not_found"')

const absent = (id: string): EngineFault =>
  new EngineFault('document_not_found', `Document \`${id}\` not found.`)

function documentPath(
  indexUid: string,
  id: string,
  asked: AskedDocument,
  isSharded: boolean,
): string {
  const query = new URLSearchParams()
  if (asked.fields !== null) query.set('fields', asked.fields.join(','))
  if (asked.retrieveVectors) query.set('retrieveVectors', 'true')
  if (isSharded) query.set('useNetwork', 'false')
  const text = query.size === 0 ? '' : `?${query}`
  return `/indexes/${encodeURIComponent(indexUid)}/documents/${encodeURIComponent(id)}${text}`
}
