// Calls another instance and turns failures into errors for clients.
import {
  EngineFault,
  OutgoingFault,
  type OutgoingRequest,
  type Remote,
  type Send,
  type TaskOrigin,
} from '../../../engine/index.ts'
import { decoder, KiB } from '../../../format/bytes/index.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { PROTOCOL, PROTOCOL_VERSION } from './headers.ts'

/** Time limits of a call, in milliseconds. */
export type CallTimes = {
  readonly connectMs: number
  readonly requestMs: number
}

export type RemoteRequest = Pick<OutgoingRequest, 'method' | 'body' | 'headers'> & {
  /** Replaces the path of the configured URL. */
  readonly path: string
  readonly apiKey: string | null
  readonly times: CallTimes
  /** The action that the error message of a refused key names. */
  readonly action: string
  readonly answerBytesMax?: number
  /** Reserves memory for bytes of the answer; false aborts the call. */
  readonly take?: (bytes: number) => boolean
  readonly signal?: AbortSignal | null
  /** Receives the newest task that the answer contains, as the remote says, or undefined. */
  readonly noteTask?: (taskUid: string | undefined) => void
}

/** Returns the request that sends a message about tasks or changes of an instance. */
export const messageRequest = (
  origin: TaskOrigin,
  message: object,
): Pick<RemoteRequest, 'method' | 'path' | 'body' | 'headers'> => ({
  method: 'POST',
  path: '/network/control',
  body: Buffer.from(JSON.stringify({ origin, message })),
  headers: { 'content-type': 'application/json' },
})

/** The error of a call; `remoteCode` is that of the remote's own error, or null without one. */
class RemoteError extends ApiError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly remoteCode: string | null,
    readonly remoteStatus: number,
  ) {
    super(code, message)
  }
}

/** Returns the code of the remote's error that caused this one, or null. */
export const remoteCodeOf = (error: unknown): string | null =>
  error instanceof RemoteError ? error.remoteCode : null

const SHOWN_MAX = 4096

/** Returns the body of a successful answer. @throws ApiError remote_… */
export async function callRemote(
  send: Send,
  { url }: Pick<Remote, 'url'>,
  request: RemoteRequest,
): Promise<Uint8Array> {
  const { method, path, body, apiKey, times, action, answerBytesMax, take } = request
  const { signal = null } = request
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
  const headers = { ...request.headers, ...authorization, [PROTOCOL]: String(PROTOCOL_VERSION) }
  const { connectMs, requestMs } = times
  let answer: Awaited<ReturnType<Send>>
  try {
    answer = await send({
      method,
      url: new URL(path, url).href,
      headers,
      body,
      connectMs,
      timeoutMs: requestMs,
      totalMs: requestMs,
      ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
      ...(take === undefined ? {} : { take, isShared: true }),
      signal,
    })
  } catch (error) {
    if (!(error instanceof OutgoingFault)) throw error
    throw error.kind === 'tooLarge' ? tooLarge() : unsent(error)
  }
  if (answer.status >= 200 && answer.status < 300) {
    request.noteTask?.(answer.taskUid)
    return answer.body
  }
  throw refused(answer.status, answer.body, action)
}

/** Transport errors do not name the address. */
const unsent = (fault: OutgoingFault): ApiError =>
  fault.isTimeout
    ? new ApiError('remote_timeout', 'remote host did not answer before the deadline')
    : new ApiError('remote_could_not_send_request', fault.message)

const tooLarge = (): ApiError =>
  new ApiError('remote_bad_response', 'the response of the remote host is too large')

/** Refusals that callers handle by their own code. */
const MISMATCHES: ReadonlySet<string | null> = new Set<ErrorCode>([
  'network_version_mismatch',
  'network_leader_mismatch',
])

/** Returns the error for an answer with an error status. */
export function refused(status: number, body: Uint8Array, action: string): ApiError {
  const remoteCode = codeIn(body)
  if (status === 401 || status === 403) {
    return new RemoteError(
      'remote_invalid_api_key',
      'could not authenticate against the remote host\n  - hint: check that the remote instance ' +
        `was registered with a valid API key having the \`${action}\` action`,
      remoteCode,
      status,
    )
  }
  // A copy: decoders refuse shared memory.
  const shown = decoder.decode(body.slice(0, SHOWN_MAX))
  const summary = `remote host responded with code ${status}:\n  - response from remote: ${shown}`
  if (status === 412 && MISMATCHES.has(remoteCode)) {
    return new RemoteError(remoteCode as ErrorCode, summary, remoteCode, status)
  }
  if (remoteCode === 'task_not_visible_yet') {
    return new RemoteError(remoteCode, summary, remoteCode, status)
  }
  if (status >= 500 || isBusy(status, remoteCode)) {
    return new RemoteError('remote_remote_error', summary, remoteCode, status)
  }
  return new RemoteError(
    'remote_bad_request',
    `${summary}\n  - hint: check that the remote instance has the correct index configuration for ` +
      'that request\n  - hint: check that the `network` experimental feature is enabled on the ' +
      'remote instance',
    remoteCode,
    status,
  )
}

/** Bytes of an error's body; larger ones are not those of an instance. */
const ERROR_BYTES_MAX = 64 * KiB

/** Returns the code in the body of an error, or null. */
function codeIn(body: Uint8Array): string | null {
  if (body.length > ERROR_BYTES_MAX) return null
  try {
    const { code } = JSON.parse(decoder.decode(body.slice())) as { readonly code?: unknown }
    return typeof code === 'string' ? code : null
  } catch (error) {
    // The answer of a proxy, or JSON without an object.
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** Returns true for a temporary refusal: too many requests or tasks, a timeout, a failing disk. */
const isBusy = (status: number, code: string | null): boolean =>
  BUSY.has(status) || DISK_CODES.has(code)

/** The machine of the remote could not do what was asked; the same request can succeed later. */
const DISK_CODES: ReadonlySet<string | null> = new Set<ErrorCode>([
  'io_error',
  'no_space_left_on_device',
  'too_many_open_files',
])

const TIME_UP = 408
const BUSY: ReadonlySet<number> = new Set([TIME_UP, 425, 429])

/**
 * Returns the error for another instance, which calls a faster one if a time limit was reached.
 * Clients get the status of the code.
 */
export function forInstance(error: ApiError): ApiError {
  const { code, message, cause } = error
  const isTimeUp = cause instanceof EngineFault && cause.detail?.kind === 'timeUp'
  return isTimeUp ? new ApiError(code, message, TIME_UP, { cause }) : error
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'remote_could_not_send_request',
  'remote_timeout',
  'remote_remote_error',
])

/**
 * Returns true if the same request may succeed at once: no answer came, because an idle connection
 * was closed while the request was sent, or something on the way had no answer of the instance.
 */
export const isRepeatable = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === 'remote_could_not_send_request' ||
    (error instanceof RemoteError && REPEATABLE.has(error.remoteStatus)))

const REPEATABLE: ReadonlySet<number> = new Set([500, 502])

/** Returns true if the same request may succeed later. */
export const isRetryable = (error: ApiError): boolean => RETRYABLE.has(error.code)
