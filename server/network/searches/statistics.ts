// Scores of the ranking rule `bm25` over a network: the numbers of all instances are added up before
// the search, which then scores every document as one index would.
import {
  DEFAULT_FEDERATION,
  type IndexSearch,
  type JsonBytes,
  type SearchContext,
  type SearchStatistics,
} from '../../../engine/index.ts'
import { count, isValid, list, mapOf, object, type Schema } from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import { parsedJson, readAnswers } from '../calls/index.ts'
import { fromAllOwners } from './all-owners.ts'
import type { NetworkCalls } from './network-calls.ts'
import { federationBody, wireQuery } from './wire-search.ts'

const STATISTICS: Schema<SearchStatistics> = object<SearchStatistics>({
  documents: count,
  words: mapOf(count),
  frequencies: list(list(count)),
})

/** Returns true if documents of the search have scores that depend on the whole network. */
export const needsStatistics = (
  { engine }: NetworkCalls['parts'],
  { indexUid, request }: IndexSearch,
): boolean => (request.q ?? '').trim() !== '' && engine.queries.ranksByScores(indexUid)

/**
 * Returns the numbers of all instances that answer; the search itself reports the others.
 * @throws EngineFault if no instance has the index
 */
export function networkStatistics(
  searches: NetworkCalls,
  { indexUid, request }: IndexSearch,
  context: SearchContext,
): Promise<SearchStatistics> {
  const { engine } = searches.parts
  const { filter: _, ...asked } = request
  const query = { indexUid, request: { ...asked, filter: null }, weight: 1, queryPosition: 0 }
  const toOwners = {
    own: (shards: readonly string[] | undefined): Promise<JsonBytes> => {
      const own = shards === undefined ? request : { ...request, shards }
      return engine.queries.statistics(indexUid, own, context)
    },
    path: '/network/search',
    body: (shards: readonly string[] | null, isSharded: boolean): object => {
      const search = {
        queries: [wireQuery(query, null, isSharded)],
        federation: federationBody(NO_PAGE),
        shards: shards === null ? [] : [{ query: 0, names: shards }],
        asksStatistics: true,
      }
      return { searches: [search] }
    },
  }
  return fromAllOwners(searches, toOwners, context, async (own, gathering) => {
    const mine = own === null ? [] : [parsedJson(own) as SearchStatistics]
    for (;;) {
      const read = gathering.answers.map(({ bytes }) => statisticsIn(bytes))
      const bad = read.indexOf(null)
      if (bad < 0) return addStatistics([...mine, ...read.filter((one) => one !== null)])
      await gathering.refuse(gathering.answers[bad]!, badResponse())
    }
  })
}

const NO_PAGE = { ...DEFAULT_FEDERATION, limit: 0 }

/** Returns null for an answer of another form, an error included. */
function statisticsIn(bytes: Uint8Array): SearchStatistics | null {
  const [answer] = readAnswers(bytes, 1) ?? []
  if (answer === undefined || answer.status !== 200) return null
  const value = parsedJson(answer.bytes)
  return isValid(STATISTICS, value) ? value : null
}

const badResponse = (): ApiError =>
  new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as statistics of an index',
  )

/** Adds the statistics of disjoint parts of an index for the same query. */
export function addStatistics(parts: readonly SearchStatistics[]): SearchStatistics {
  const words = new Map<string, number>()
  for (const part of parts) {
    for (const [field, found] of Object.entries(part.words)) {
      words.set(field, (words.get(field) ?? 0) + found)
    }
  }
  const longest = parts.reduce<readonly (readonly number[])[]>(
    (most, { frequencies }) => (frequencies.length > most.length ? frequencies : most),
    [],
  )
  const sumOf = (word: number, level: number): number =>
    parts.reduce((sum, { frequencies }) => sum + (frequencies[word]?.[level] ?? 0), 0)
  return {
    documents: parts.reduce((sum, { documents }) => sum + documents, 0),
    words: Object.fromEntries(words),
    frequencies: longest.map((levels, word) => levels.map((_, level) => sumOf(word, level))),
  }
}
