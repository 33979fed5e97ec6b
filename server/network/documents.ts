// Documents over the network: pages of all instances as one, and single documents that another
// instance has.
import {
  type DocumentsContext,
  type DocumentsRequest,
  elected,
  isUnreadable,
  type JsonBytes,
  mergeDocuments,
  type ReadDocuments,
  type Remote,
  readDocuments,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { errorBodies, gather } from './gather.ts'
import type { AskedShards } from './search-plan.ts'
import type { NetworkSearches } from './searches.ts'
import { withShards } from './wire-search.ts'

/** `{results, offset, limit, total}`. @throws EngineFault */
export async function networkDocuments(
  searches: NetworkSearches,
  indexUid: string,
  request: DocumentsRequest,
  context: DocumentsContext,
): Promise<JsonBytes> {
  const { engine, availability, searchMs, now } = searches.parts
  const plan = searches.plan()
  const { own, isSharded } = plan
  const { offset, limit, fields, retrieveVectors, ids, filter, sort } = request
  const whole = { ...request, offset: 0, limit: offset + limit, isProxied: true }
  const shards = own === undefined ? [] : isSharded ? (own ?? []) : undefined
  const mine = engine.documents(
    indexUid,
    shards === undefined ? whole : { ...whole, shards },
    context,
  )
  const ask = (remote: Remote, of: AskedShards, ms: number): Promise<Uint8Array> => {
    const condition = withShards(filter, of)
    const body = {
      offset: 0,
      limit: offset + limit,
      ...(fields === null ? {} : { fields }),
      ...(retrieveVectors ? { retrieveVectors } : {}),
      ...(ids === null ? {} : { ids }),
      ...(condition === null ? {} : { filter: condition }),
      ...(sort === null ? {} : { sort }),
      ...(isSharded ? { useNetwork: false } : {}),
    }
    const path = `/indexes/${encodeURIComponent(indexUid)}/documents/fetch`
    return searches.call(remote, 'POST', path, body, ms, context.signal)
  }
  const others = gather(plan, ask, { availability, searchMs, now, marks: false })
  others.catch(() => undefined)
  const answers: ReadDocuments[] = [readDocuments(await mine, 0)]
  const gathered = await others
  const errors: { [remote: string]: unknown } = { ...gathered.errors }
  for (const [i, { remote, bytes }] of gathered.answers.entries()) {
    try {
      answers.push(readDocuments(bytes, i + 1))
    } catch (error) {
      if (!isUnreadable(error)) throw error
      Object.assign(errors, errorBodies(new Map([[remote, badResponse()]])))
    }
  }
  return mergeDocuments(answers, { offset, limit }, errors)
}

const badResponse = (): ApiError =>
  new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as a documents response',
  )

/** A document that another instance holds; null: none of its owners has it. @throws ApiError */
export async function networkDocument(
  searches: NetworkSearches,
  indexUid: string,
  id: string,
  asked: { readonly fields: readonly string[] | null; readonly retrieveVectors: boolean },
): Promise<JsonBytes | null> {
  const { availability, searchMs } = searches.parts
  const { network, isSharded } = searches.plan()
  const shard = isSharded ? elected([...network.shards.keys()], id) : null
  const owners = shard === null ? [...network.remotes.keys()] : network.shards.get(shard)!.remotes
  const others = owners.filter((name) => name !== network.self)
  const inOrder = [
    ...others.filter((name) => availability.isAvailable(name)),
    ...others.filter((name) => !availability.isAvailable(name)),
  ]
  const query = new URLSearchParams()
  if (asked.fields !== null) query.set('fields', asked.fields.join(','))
  if (asked.retrieveVectors) query.set('retrieveVectors', 'true')
  if (isSharded) query.set('useNetwork', 'false')
  const text = query.size === 0 ? '' : `?${query}`
  const path = `/indexes/${encodeURIComponent(indexUid)}/documents/${encodeURIComponent(id)}${text}`
  let failure: ApiError | null = null
  for (const name of inOrder) {
    try {
      return await searches.call(network.remotes.get(name)!, 'GET', path, null, searchMs, null)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!error.message.includes('"document_not_found"')) failure = error
    }
  }
  if (failure !== null) throw failure
  return null
}
