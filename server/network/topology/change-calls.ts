// Calls of other instances during a topology change: messages, and the status on the leader.
import type { Remote, Send, TopologyChange } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { type CallTimes, callRemote, MESSAGE_MS, messageRequest } from '../calls/index.ts'

type Parts = { readonly send: Send; readonly times: CallTimes }

type Called = Pick<
  Parameters<typeof callRemote>[2],
  'method' | 'path' | 'body' | 'headers' | 'action'
>

export class ChangeCalls {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sends a message; returns the error, or null if it arrived. */
  async sendMessage(
    { origin }: TopologyChange,
    remote: Remote,
    message: object,
    signal: AbortSignal,
  ): Promise<ApiError | null> {
    const called = { ...messageRequest(origin, message), action: 'network.update' }
    try {
      await this.#call(remote, called, signal)
      return null
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  /** Returns the status of the change's task on the leader, or null if the leader gives none. */
  async statusOnLeader(
    { origin, before, after }: TopologyChange,
    signal: AbortSignal,
  ): Promise<string | null> {
    const name = origin.remoteName
    const leader = after.remotes.get(name) ?? before.remotes.get(name)
    if (leader === undefined) return null
    const path = `/tasks/${origin.taskUid}`
    const called = { method: 'GET', path, body: null, headers: {}, action: 'tasks.get' } as const
    try {
      const body = await this.#call(leader, called, signal)
      const task = JSON.parse(Buffer.from(body).toString()) as LeaderTask | null
      const isSame = task?.network?.network_version === origin.networkVersion
      return isSame && typeof task?.status === 'string' ? task.status : null
    } catch (error) {
      if (error instanceof ApiError || error instanceof SyntaxError) return null
      throw error
    }
  }

  #call(remote: Remote, called: Called, signal: AbortSignal): Promise<Uint8Array> {
    const { send, times } = this.#parts
    const limited = { ...times, requestMs: Math.min(times.requestMs, MESSAGE_MS) }
    const apiKey = remote.writeApiKey
    return callRemote(send, remote, { ...called, apiKey, times: limited, signal })
  }
}

type LeaderTask = {
  readonly status?: unknown
  readonly network?: { readonly network_version?: unknown }
}
