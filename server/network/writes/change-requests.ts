// Requests and messages to a remote about a task of the leader that changes the network, also to
// remotes that join or leave.
import {
  type ChangedNetworks,
  type Engine,
  encodeNetwork,
  holdsAlone,
  type Network,
  type Remote,
  readChange,
  type SentTask,
  type TaskOrigin,
} from '../../../engine/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import { decodedJson, mapOf, texts } from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import type { RequestContext } from '../../http/messages/index.ts'
import {
  ABSENT,
  BRINGING,
  LACKING,
  messageRequest,
  RENEWED,
  RENEWED_SHARDS,
} from '../calls/index.ts'
import { requestOf, type TaskRequestParts } from './task-requests.ts'

/**
 * Finds the remote of a task. A change of the network is also sent to remotes that leave it. While
 * it runs, they also get their unconfirmed tasks: they send documents and must have all of them.
 */
export function findRemote(engine: Engine, name: string, task: SentTask): Remote | null {
  // A write may come, and start the sending, before the task of a change is durable.
  const { self, leader, remotes } = engine.topology.networkOfNextTask
  // Another instance leads now, or this one has left: its tasks are not sent any more.
  if (self === null || (leader !== null && leader !== self)) return null
  const known = remotes.get(name) ?? engine.network.get().remotes.get(name)
  if (known !== undefined) return known
  const change = changeOf(task) ?? engine.topology.change
  return change?.after.remotes.get(name) ?? change?.before.remotes.get(name) ?? null
}

/** Whether the task removes the only owner of a shard: no other instance has its documents. */
export function isOnlyCopy(task: SentTask, remote: string): boolean {
  const change = changeOf(task)
  return change !== null && !change.after.remotes.has(remote) && holdsAlone(change.before, remote)
}

type Change = ReturnType<typeof readChange>

/** The parts of a change that its body does not hold. */
export type ChangeLists = Pick<
  ChangedNetworks,
  'absent' | 'bringing' | 'renewed' | 'renewedShards'
> & { readonly isLacking: boolean }

function changeOf({ content }: SentTask): Change | null {
  if (content.kind !== 'networkTopologyChange') return null
  return readChange((content as unknown as { readonly change: unknown }).change)
}

/**
 * Returns the network that a remote has to know before the tasks behind this one. A change that still
 * runs is sent to it later: an instance that knows the new network would not send its documents.
 */
export function networkBefore({ network, topology }: Engine, { uid }: SentTask): Network {
  const { change } = topology
  return change !== null && uid < change.uid ? change.before : network.get()
}

/** `isLacking`: whether earlier writes are not sent to the remote any more. */
export function requestTo(
  network: Network,
  remote: string,
  task: SentTask,
  isLacking: boolean,
): TaskRequestParts | null {
  const change = changeOf(task)
  if (change === null) return requestOf(task)
  // The documents have not moved.
  if (task.isVoid) return null
  // After the change has ended, the remote gets its result instead.
  if (!task.hasEnded) return changeRequest(remote, change, isLacking)
  const { uid: taskUid, version: networkVersion } = task
  return networkNews(network, remote, {
    remoteName: network.self ?? '',
    taskUid,
    networkVersion,
  })
}

/** Returns the request with the current network, for an instance that missed a change. */
export function networkNews(
  network: Network,
  remote: string,
  origin: TaskOrigin,
): TaskRequestParts {
  const self = network.remotes.has(remote) ? remote : null
  const written = Buffer.from(encodeNetwork({ ...network, self })).toString()
  const message = { type: 'networkForRemote', remote, network: written }
  return { ...messageRequest(origin, message), isNews: true }
}

/** Returns the parts of a topology change in headers. @throws ApiError invalid_header_value */
export const listsIn = (context: Pick<RequestContext, 'header'>): ChangeLists => ({
  absent: namesIn(ABSENT, context.header(ABSENT)),
  bringing: namesIn(BRINGING, context.header(BRINGING)),
  renewed: namesIn(RENEWED, context.header(RENEWED)),
  renewedShards: shardsIn(context.header(RENEWED_SHARDS)),
  isLacking: context.header(LACKING) === 'true',
})

/** Reads a header with names, each percent-encoded. @throws ApiError invalid_header_value */
export function namesIn(name: string, header: string | undefined): readonly string[] {
  if (header === undefined || header === '') return []
  try {
    return header.split(',').map(decodeURIComponent)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new ApiError('invalid_header_value', `Invalid value for header \`${name}\``)
  }
}

const SHARDS = mapOf(texts)

/** Reads that header. @throws ApiError invalid_header_value */
function shardsIn(header: string | undefined): ReadonlyMap<string, readonly string[]> {
  if (header === undefined) return new Map()
  try {
    const json = Buffer.from(decodeURIComponent(header))
    return new Map(Object.entries(decodedJson(SHARDS, json, RENEWED_SHARDS)))
  } catch (error) {
    if (!(error instanceof CorruptionError || error instanceof URIError)) throw error
    throw new ApiError('invalid_header_value', `Invalid value for header \`${RENEWED_SHARDS}\``)
  }
}

function changeRequest(
  remote: string,
  { before, after, absent, bringing, renewed, renewedShards }: Change,
  isLacking: boolean,
): TaskRequestParts {
  const isMember = after.remotes.has(remote)
  const body = {
    remotes: Object.fromEntries(after.remotes),
    shards: Object.fromEntries(after.shards),
    leader: after.leader,
    self: isMember ? remote : null,
    ...(isMember ? { previousRemotes: Object.fromEntries(before.remotes) } : {}),
    // Without a leader, documents were not divided into these shards.
    previousShards: Object.fromEntries(before.leader === null ? [] : before.shards),
  }
  const listed = (names: readonly string[]): string => names.map(encodeURIComponent).join(',')
  return {
    method: 'PATCH',
    path: '/network',
    body: Buffer.from(JSON.stringify(body)),
    headers: {
      'content-type': 'application/json',
      ...(absent.length === 0 ? {} : { [ABSENT]: listed(absent) }),
      ...(bringing.length === 0 ? {} : { [BRINGING]: listed(bringing) }),
      ...(renewed.length === 0 ? {} : { [RENEWED]: listed(renewed) }),
      ...(renewedShards.size === 0
        ? {}
        : {
            [RENEWED_SHARDS]: encodeURIComponent(JSON.stringify(Object.fromEntries(renewedShards))),
          }),
      ...(isLacking ? { [LACKING]: 'true' } : {}),
    },
  }
}
