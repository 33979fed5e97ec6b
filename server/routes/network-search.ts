// Searches that are asked of the network: which of the instances are meant, and what an answer says
// of them. This instance answers for itself; how others are asked is still to come, and answers say
// so of each of them.
import type { Network, NetworkAnswer, SearchRequest } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'

/** The instances that a search is for. */
export type Asked = {
  readonly isOwn: boolean
  /** Names of others. */
  readonly others: readonly string[]
}

const HERE: Asked = { isOwn: true, others: [] }

/** `useNetwork`: the instances that are registered, this one among them only where it is listed. */
export function askedOfNetwork({ self, remotes }: Network): Asked {
  const names = [...remotes.keys()]
  const others = names.filter((name) => name !== self)
  return { isOwn: others.length < names.length, others }
}

/** `federationOptions.remote`. @throws ApiError invalid_multi_search_remote */
export function askedOfRemote({ self, remotes }: Network, remote: string): Asked {
  if (remote === self) return HERE
  if (remotes.has(remote)) return { isOwn: false, others: [remote] }
  throw new ApiError(
    'invalid_multi_search_remote',
    `Invalid \`.federation_options.remote\`: remote \`${remote}\` is not registered`,
  )
}

/** What answers say when instances were asked. */
export function networkAnswer({ self }: Network, all: readonly Asked[]): NetworkAnswer {
  const others = new Set(all.flatMap(({ others }) => others))
  const errors = [...others].sort().map((name) => [name, unasked().toBody()])
  return { self, remoteErrors: Object.fromEntries(errors) }
}

const unasked = (): ApiError =>
  new ApiError(
    'remote_could_not_send_request',
    'error sending request: this release does not search other instances',
  )

/** The part of a search that this instance answers: everything, or nothing. */
export const ownPart = (request: SearchRequest, { isOwn }: Asked): SearchRequest => ({
  ...request,
  useNetwork: isOwn ? null : true,
})

/** A search for itself, which may ask the network. */
export function networkSearch(request: SearchRequest, network: Network): SearchRequest {
  if (request.useNetwork !== true || network.remotes.size === 0) return request
  const asked = askedOfNetwork(network)
  return { ...ownPart(request, asked), network: networkAnswer(network, [asked]) }
}

const encoder = new TextEncoder()

/** Finished JSON of an object, with what other instances did not answer at its end. */
export function withRemoteErrors(json: Uint8Array, { remoteErrors }: NetworkAnswer): Uint8Array {
  const member = encoder.encode(`,"remoteErrors":${JSON.stringify(remoteErrors)}}`)
  return Buffer.concat([json.subarray(0, json.length - 1), member])
}
