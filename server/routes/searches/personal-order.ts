// Personalizes the answers of searches: sends their hits to the provider.
import type { SearchRequest } from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { splitResults } from '../../hits/index.ts'
import type { Reply } from '../../http/messages/index.ts'
import { okReply, personalizationOff, type RouteOptions } from '../context/index.ts'

type Options = Pick<RouteOptions, 'engine' | 'personalizer' | 'events'>

/** The personalization of one answer. */
export type PersonalOrder = {
  readonly personalize: SearchRequest['personalize']
  /** The query of the search. */
  readonly query: string
  /** The index whose `searchCutoffMs` applies, or null for the default. */
  readonly indexUid: IndexUid | null
}

/**
 * Returns the answer with its hits in personal order, or unchanged if that was not requested.
 * @throws ApiError feature_not_enabled, and refusals of the provider
 */
export async function personalized(
  options: Options,
  answer: Uint8Array,
  order: PersonalOrder,
  signal: AbortSignal,
): Promise<Reply> {
  if (order.personalize === null) return okReply(answer)
  options.events.personalizedSearch()
  return { status: 200, parts: await ordered(options, answer, order, signal) }
}

/** The same for the answers of several searches, in the order of `orders`. */
export async function personalizedResults(
  options: Options,
  pieces: readonly Uint8Array[],
  orders: readonly PersonalOrder[],
  signal: AbortSignal,
): Promise<Reply> {
  if (orders.every(({ personalize }) => personalize === null)) {
    return pieces.length === 1 ? okReply(pieces[0]) : { status: 200, parts: pieces }
  }
  options.events.personalizedSearch()
  const answers = await splitResults(Buffer.concat(pieces))
  const parts: Uint8Array[] = []
  for (const [at, answer] of answers.entries()) {
    const order = orders[at]!
    parts.push(at === 0 ? BEGIN : COMMA)
    if (order.personalize === null) parts.push(answer)
    else parts.push(...(await withPosition(at, () => ordered(options, answer, order, signal))))
  }
  parts.push(END)
  return { status: 200, parts }
}

const BEGIN = Buffer.from('{"results":[')
const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

async function ordered(
  { engine, personalizer }: Options,
  answer: Uint8Array,
  { personalize, query, indexUid }: PersonalOrder,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  if (personalizer === null) throw personalizationOff()
  const { userContext } = personalize!
  const cutoff = indexUid === null ? null : engine.documents.settings(indexUid)['searchCutoffMs']
  const totalMs = typeof cutoff === 'number' ? cutoff : null
  return personalizer.personalize(answer, { userContext, query, totalMs, signal })
}

/** A refusal of the provider gets the position of its search. */
async function withPosition<T>(at: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError(error.code, `Inside \`.queries[${at}]\`: ${error.message}`)
  }
}
