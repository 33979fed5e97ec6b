// The context of searches: the caller, and whether the answer includes metadata.
import type {
  AnswerState,
  DocumentsContext,
  Features,
  IndexAccess,
  SearchContext,
} from '../../../engine/index.ts'
import { requestUid } from '../../http/index.ts'
import type { Caller, RequestContext, RouteRequest } from '../../http/messages/index.ts'

/** The caller and its request. */
type CallerInfo = Pick<RouteRequest, 'caller' | 'context'>

/** Written member by member: a spread gives each request its own hidden class, 0.02 ms. */
export const searchContext = (
  { caller, context }: CallerInfo,
  features: Features,
  state?: AnswerState,
): SearchContext => ({
  signal: context.signal,
  access: accessOf(caller),
  caller: callerOf(caller, context),
  requestUid: context.uid,
  queryUid: wantsMetadata(context) ? requestUid : null,
  features,
  state,
})

/** The context of requests for documents: the caller, its visible documents, and its signal. */
export const documentsContext = (
  { caller, context }: CallerInfo,
  state?: AnswerState,
): DocumentsContext => ({
  state,
  signal: context.signal,
  access: accessOf(caller),
  caller: callerOf(caller, context),
})

const callerOf = (
  { keyUid }: Caller,
  { address }: RequestContext,
): NonNullable<SearchContext['caller']> => ({
  key: keyUid ?? '',
  address: clientNetwork(address),
})

/**
 * Returns the network that counts as one client: of IPv6 the first 64 bits, because a client can
 * choose among those addresses. All clients behind a proxy share an address and are distinguished
 * only by their keys.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':')
    while (groups.length + rest.length < 8) groups.push('0')
    groups.push(...rest)
  }
  return groups.slice(0, 4).join(':')
}

/** Returns what this caller may see of indexes other than the searched one. */
const accessOf =
  ({ visible, filterOf }: Caller): IndexAccess =>
  (uid) =>
    visible !== null && !visible(uid) ? null : { filter: filterOf?.(uid) ?? null }

/** Existing clients send the second name. */
const METADATA_HEADERS = ['svc-include-metadata', 'meili-include-metadata'] as const

function wantsMetadata(context: RequestContext): boolean {
  for (const name of METADATA_HEADERS) {
    const value = context.header(name)
    if (value !== undefined) return value === '1' || value.toLowerCase() === 'true'
  }
  return false
}
