// Merges pages of several instances: calls this instance and others at the same time, calls other
// owners if an instance fails or its answer is invalid, and merges the pages.
import {
  type DocumentsContext,
  type DocumentsMerge,
  EngineFault,
  type JsonBytes,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { absentIndex } from './absent-index.ts'
import { type Ask, Gathering } from './gather.ts'
import type { AskedShards } from './search-plan.ts'
import type { NetworkSearches } from './searches.ts'
import { servingHeaders } from './serving.ts'
import { unreachedErrors } from './unreached.ts'

export type PagesOf = {
  readonly indexUid: string
  /** Returns the page of this instance for some shards, or for all documents if undefined. */
  readonly own: (shards: readonly string[] | undefined) => Promise<JsonBytes>
  /** Path and body of the requests to others. */
  readonly path: string
  readonly body: (shards: AskedShards, isSharded: boolean) => object
  /** How pages are merged. */
  readonly merge: Omit<DocumentsMerge, 'answers' | 'remoteErrors'>
  /** The kind of the pages, for the error message of an invalid one. */
  readonly kind: string
}

/** @throws EngineFault */
export async function mergedPages(
  searches: NetworkSearches,
  asked: PagesOf,
  context: DocumentsContext,
): Promise<JsonBytes> {
  const room = searches.room()
  try {
    return await inRoom(searches, asked, context, room.take)
  } finally {
    room.release()
  }
}

async function inRoom(
  searches: NetworkSearches,
  { indexUid, own: ownPage, path, body, merge, kind }: PagesOf,
  context: DocumentsContext,
  take: (bytes: number) => boolean,
): Promise<JsonBytes> {
  const { engine, availability, searchMs, now, hedges } = searches.parts
  const plan = searches.plan()
  const { own, isSharded, network } = plan
  const shards = own === undefined ? [] : isSharded ? (own ?? []) : undefined
  const mine = ownPage(shards).catch((error: unknown) => absentIndex(error, plan))
  const ask: Ask = (remote, call, ms, signal) => {
    const headers = servingHeaders(network, call.shards)
    const request = { path, body: body(call.shards, isSharded), headers, ms, signal, take }
    return searches.call(remote, request)
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
  const pages = first instanceof EngineFault ? [] : [first]
  for (;;) {
    const { answers, errors } = gathering
    const all = [...pages, ...answers.map(({ bytes }) => bytes)]
    try {
      const remoteErrors = { ...unreachedErrors(engine), ...errors }
      const whole = { ...merge, answers: all, remoteErrors }
      return await engine.mergeDocuments(indexUid, whole, context)
    } catch (error) {
      if (!(error instanceof EngineFault) || error.code !== 'remote_bad_response') throw error
      const answer = answers[Number(error.message) - pages.length]
      if (answer === undefined) throw error
      await gathering.refuse(answer, badResponse(kind))
    }
  }
}

const thrownBelow = (): void => undefined

const badResponse = (kind: string): ApiError =>
  new ApiError(
    'remote_bad_response',
    `could not parse response from the remote host as a ${kind} response`,
  )
