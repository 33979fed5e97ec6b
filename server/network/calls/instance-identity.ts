// The identity of an instance as others see it, and the call that reads it.
import type { Engine, Remote, Send } from '../../../engine/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import {
  decodedJson,
  flag,
  nullable,
  object,
  open,
  safeCount,
  text,
} from '../../../format/schema/index.ts'
import { type CallTimes, callRemote } from './remote-call.ts'

export type InstanceDescription = {
  readonly id: string
  /** That of `InstanceIdentity`. */
  readonly process: string
  readonly self: string | null
  readonly leader: string | null
  readonly leaderId: string | null
  readonly term: number
  readonly hasDocuments: boolean
}

const DESCRIPTION = open(
  object<InstanceDescription>({
    id: text,
    process: text,
    self: nullable(text),
    leader: nullable(text),
    leaderId: nullable(text),
    term: safeCount,
    hasDocuments: flag,
  }),
)

export function ownDescription({ identity, network, topology }: Engine): InstanceDescription {
  const { self, leader, leaderId, term } = network.get()
  const { id, process } = identity
  return { id, process, self, leader, leaderId, term, hasDocuments: topology.hasDocuments }
}

/** Returns null if the remote does not describe itself. @throws ApiError remote_… */
export async function describedRemote(
  { send, times }: { readonly send: Send; readonly times: CallTimes },
  remote: Remote,
  signal: AbortSignal | null = null,
): Promise<InstanceDescription | null> {
  const body = await callRemote(send, remote, {
    method: 'GET',
    path: '/network/identity',
    body: null,
    headers: {},
    apiKey: remote.writeApiKey,
    times,
    action: 'network.update',
    signal,
  })
  try {
    return decodedJson(DESCRIPTION, body, 'identity of an instance')
  } catch (error) {
    if (error instanceof CorruptionError) return null
    throw error
  }
}
