// Who searches, and whether the answer is to say more of it than hits.
import type { DocumentsContext, Features, IndexAccess, SearchContext } from '../../engine/index.ts'
import { type Caller, type RequestContext, type RouteRequest, requestUid } from '../http/index.ts'

/** Who asks, and in which request. */
type Asking = Pick<RouteRequest, 'caller' | 'context'>

/** Member by member: a spread here gives each request a hidden class of its own, 0.02 ms. */
export const searchContext = ({ caller, context }: Asking, features: Features): SearchContext => ({
  signal: context.signal,
  access: accessOf(caller),
  caller: callerOf(caller, context),
  requestUid: context.uid,
  queryUid: wantsMetadata(context) ? requestUid : null,
  features,
})

/** Who asks for documents, what of them may be seen, and until when the client waits. */
export const documentsContext = ({ caller, context }: Asking): DocumentsContext => ({
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
 * Addresses that one client can choose among count as one: of IPv6 the first 64 bits. A proxy in
 * front is one address; its clients are told apart by their keys alone.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const behind = tail === '' ? [] : tail.split(':')
    while (groups.length + behind.length < 8) groups.push('0')
    groups.push(...behind)
  }
  return groups.slice(0, 4).join(':')
}

/** What this caller may see of indexes besides the one that is asked. */
const accessOf =
  ({ visible, filterOf }: Caller): IndexAccess =>
  (uid) =>
    visible !== null && !visible(uid) ? null : { filter: filterOf?.(uid) ?? null }

/** The second name is the one that existing clients send. */
const METADATA_HEADERS = ['svc-include-metadata', 'meili-include-metadata'] as const

function wantsMetadata(context: RequestContext): boolean {
  for (const name of METADATA_HEADERS) {
    const value = context.header(name)
    if (value !== undefined) return value === '1' || value.toLowerCase() === 'true'
  }
  return false
}
