// Pages of several instances as one: this instance and others are asked side by side, other owners
// where an instance fails or answers what cannot be read, and the pages are merged.
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

export type PagesOf = {
  readonly indexUid: string
  /** The page of this instance; undefined: of all its documents. */
  readonly own: (shards: readonly string[] | undefined) => Promise<JsonBytes>
  /** Where others are asked, and with which body. */
  readonly path: string
  readonly body: (shards: AskedShards, isSharded: boolean) => object
  /** What is done with the pages. */
  readonly merge: Omit<DocumentsMerge, 'answers' | 'remoteErrors'>
  /** What an answer that cannot be read is not. */
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
      const whole = { ...merge, answers: all, remoteErrors: errors }
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
