// Calls of another instance during a topology change that are repeated until it accepts them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Remote, Send, TopologyChange } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import {
  type CallTimes,
  callRemote,
  isRetryable,
  messageRequest,
  remoteCodeOf,
} from '../calls/index.ts'

const EMPTY = new Uint8Array(0)
/** Pauses between attempts. */
const PAUSE_MS = 250
const PAUSE_MS_MAX = 5000

export type CallParts = {
  readonly send: Send
  readonly times: CallTimes
  readonly signal: AbortSignal
  /** Receives failures that will be retried. */
  readonly report: (message: string, error: unknown) => void
}

type Sent = Parameters<typeof callRemote>[2]

/**
 * Repeats a request until it is accepted or permanently refused; returns the answer. @throws
 * ApiError
 */
export async function callUntilAccepted(
  { send, times, signal, report }: CallParts,
  remote: Remote,
  request: Pick<Sent, 'method' | 'path' | 'body' | 'headers'> &
    Partial<Pick<Sent, 'times' | 'answerBytesMax'>>,
): Promise<Uint8Array> {
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await callRemote(send, remote, {
        times,
        ...request,
        apiKey: remote.writeApiKey,
        action: 'documents.add',
        signal,
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (remoteCodeOf(error) === 'import_task_already_received') return EMPTY
      if (signal.aborted || !isRetryable(error)) throw error
      if (pauseMs === PAUSE_MS_MAX) report('An instance does not answer; tried again.', error)
    }
    // The next call fails at once when the signal is aborted.
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Sends another instance a message about a change. @throws ApiError */
export const sendMessage = (
  parts: CallParts,
  { origin }: TopologyChange,
  remote: Remote,
  message: object,
): Promise<unknown> => callUntilAccepted(parts, remote, messageRequest(origin, message))
