// Which requests come from members of the network. Headers about tasks of other instances decide
// over documents of every index, so they are read only if the caller may change the network: its
// API key, or the second key that instances send with searches, has the action `network.update`.
//
// Instances also name their identity and the term of the leadership that they know. An instance
// with an older term, or another leader of the same term, changes nothing here.
import { EngineFault, type Network, readUuid } from '../../../engine/index.ts'
import { ApiError, toApiError } from '../../errors/index.ts'
import type {
  RawRequest,
  Reply,
  RequestContext,
  Route,
  RouteRequest,
} from '../../http/messages/index.ts'
import {
  forInstance,
  hasTaskHeaders,
  MEMBER_KEY,
  PROTOCOL,
  PROTOCOL_VERSION,
  PROXY_SEARCH,
  SENDER,
} from '../calls/index.ts'

type Context = Pick<RequestContext, 'header'>

/** The instance that sent a request, as it names itself. */
type Sender = { readonly id: string; readonly term: number }

/** Returns the headers that name the sender of a request. */
export const senderHeaders = ({ id, term }: Sender): { readonly [name: string]: string } => ({
  [SENDER]: `${id};${term}`,
})

/**
 * Returns the routes with checks of the headers of instances, which all requests pass.
 * `isMemberKey`: whether an API key may change the network.
 */
export const withMembership = (
  routes: readonly Route[],
  isMemberKey: (key: string) => boolean,
): readonly Route[] =>
  routes.map((route) => ({
    ...route,
    handle: (request) => {
      checkProtocol(request)
      if (hasTaskHeaders(request) && !isMember(request.caller, request, isMemberKey))
        throw notMember()
      return request.header(PROXY_SEARCH) === 'true'
        ? handleForInstance(route, request)
        : route.handle(request)
    },
  }))

/** Runs a handler for another instance; its errors say whether a time limit was reached. */
async function handleForInstance(route: Route, request: RawRequest): Promise<Reply> {
  try {
    return await route.handle(request)
  } catch (error) {
    const isFault = error instanceof EngineFault || error instanceof ApiError
    throw isFault ? forInstance(toApiError(error)) : error
  }
}

/** Returns whether the request comes from an instance, or from a client with the same rights. */
export function isMember(
  caller: RouteRequest['caller'],
  context: Context,
  isMemberKey: (key: string) => boolean,
): boolean {
  if (caller.may('network.update')) return true
  const key = context.header(MEMBER_KEY)
  return key !== undefined && isMemberKey(key)
}

const notMember = (): ApiError =>
  new ApiError(
    'invalid_api_key',
    'Headers that instances of a network send need an API key with the action `network.update`.',
  )

/**
 * Another version is refused before the request is read, with a temporary error, so that it is
 * repeated while a network is upgraded. Requests without the header come from clients.
 * @throws ApiError network_protocol_mismatch
 */
function checkProtocol(context: Context): void {
  const given = context.header(PROTOCOL)
  if (given === undefined || given === String(PROTOCOL_VERSION)) return
  throw new ApiError(
    'network_protocol_mismatch',
    `The request speaks protocol \`${given.slice(0, 20)}\` of the network, and this instance ` +
      `protocol \`${PROTOCOL_VERSION}\`.\n  - Hint: run the same release on all instances.`,
  )
}

/**
 * leader: sends copies of its tasks. newLeader: sends a network, perhaps of a later term. member:
 * sends documents or messages of a change.
 */
type Role = 'leader' | 'newLeader' | 'member'

/**
 * Checks that the sender belongs to this instance's network, in this role. `isOpen`: API keys are
 * not required, so that requests without an identity are accepted as well.
 * @throws ApiError network_leader_mismatch
 */
export function checkSender(
  context: Context,
  role: Role,
  { self, leader, leaderId, term }: Network,
  isOpen: boolean,
): void {
  const sender = senderOf(context)
  if (sender === null) {
    if (isOpen) return
    throw mismatch('does not name its identity')
  }
  if (sender.term < term)
    throw mismatch(`has the leadership term ${sender.term}, here it is ${term}`)
  if (role === 'member') return
  const isLater = sender.term > term
  if (isLater && role === 'newLeader') return
  const leadsHere = leader !== null && leader === self
  const isOther = leaderId !== null && leaderId !== sender.id
  if (isLater ? leadsHere : isOther) throw mismatch('is not the leader of this network')
}

/** Returns null if the sender does not name itself. */
export function senderOf(context: Context): Sender | null {
  const [, id = '', term = ''] =
    /^([0-9a-f-]{36});(\d{1,15})$/.exec(context.header(SENDER) ?? '') ?? []
  return readUuid(id).uid === null ? null : { id, term: Number(term) }
}

const mismatch = (why: string): ApiError =>
  new ApiError('network_leader_mismatch', `The instance that sent this request ${why}.`)
