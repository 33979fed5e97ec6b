// Searches requested by another instance of the network, several in one call. Each has its own
// answer or fault, so one invalid search does not fail the others.
import { jsonBody } from '../../bodies/index.ts'
import { ApiError, toApiError } from '../../errors/index.ts'
import { invalidKey, route } from '../../http/index.ts'
import type { Reply, Route, RouteRequest } from '../../http/messages/index.ts'
import {
  forInstance,
  type ListedAnswer,
  ANSWER_BYTES_MAX as NETWORK_ANSWER_BYTES_MAX,
  writeAnswers,
} from '../../network/calls/index.ts'
import { requestedShardNames } from '../../network/searches/index.ts'
import type { SearchOfShards } from '../../parse/index.ts'
import { type RouteOptions, seeingWrites } from '../context/index.ts'
import { federatedAnswer, readParts, requireVisible, statisticsAnswer } from './multi-search.ts'
import { requireNetwork } from './network-search.ts'

const POST = { permits: 'search', body: jsonBody('networkSearch'), query: null } as const

/** Concurrent searches of one call: more of them would delay other callers. */
const SIDE_BY_SIDE = 4

export function networkSearchRoutes(options: RouteOptions): readonly Route[] {
  return [
    route('POST', '/network/search', POST, async (request): Promise<Reply> => {
      const { engine, instances } = options
      requireNetwork(engine.administration.features)
      const isSharded = engine.network.get().leader !== null
      if (isSharded && !instances.isMember(request)) throw invalidKey()
      const shardNames = requestedShardNames(engine, request.context)
      const { searches } = request.body
      const parts = readParts(
        searches.flatMap(({ queries }) => queries),
        {},
        () => false,
      )
      return seeingWrites(options, request, parts, async () => {
        const answers: ListedAnswer[] = []
        for (let at = 0; at < searches.length; at += SIDE_BY_SIDE) {
          const some = searches.slice(at, at + SIDE_BY_SIDE)
          answers.push(
            ...(await Promise.all(some.map((one) => answerOf(options, request, one, shardNames)))),
          )
          checkBytes(answers)
        }
        const type = 'application/octet-stream'
        return { status: 200, contentType: type, parts: writeAnswers(answers) }
      })
    }),
  ]
}

/** The other instance refuses larger answers. @throws ApiError too_many_answers */
function checkBytes(answers: readonly ListedAnswer[]): void {
  const bytes = answers.reduce((sum, answer) => sum + answer.bytes.length, 0)
  if (bytes <= NETWORK_ANSWER_BYTES_MAX) return
  throw new ApiError('too_many_answers', 'The answers of all searches together are too large.')
}

async function answerOf(
  options: RouteOptions,
  request: Pick<RouteRequest, 'caller' | 'context'>,
  { queries, federation, ...how }: SearchOfShards,
  shardNames: readonly string[] | undefined,
): Promise<ListedAnswer> {
  try {
    if (federation === null) throw new ApiError('bad_request', 'Missing field `federation`')
    // Texts for models, and numbers of all documents and fields, are not for every key.
    const isForMembers = how.isForModel || how.asksStatistics
    if (isForMembers && !options.instances.isMember(request)) throw invalidKey()
    await requireVisible(request.caller, queries)
    const bytes = how.asksStatistics
      ? await statisticsAnswer(options, request, queries, { ...how, shardNames })
      : await federatedAnswer(options, request, { queries, federation }, { ...how, shardNames })
    return { status: 200, bytes }
  } catch (error) {
    const fault = forInstance(toApiError(error))
    return { status: fault.status, bytes: Buffer.from(JSON.stringify(fault.toBody())) }
  }
}
