// Queries a running instance. The key comes from the environment, because other users of the
// machine can read command lines.
import { headerValueProblem, OutgoingFault } from '../../engine/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import {
  isNestedDeeper,
  isValid,
  object,
  open,
  type Schema,
  text,
} from '../../format/schema/index.ts'
import { caller } from '../../server/outbound/index.ts'
import { bytesText, type Parsed, ToolError } from '../terminal/index.ts'

/** Environment variable with the key. */
const KEY_VARIABLE = 'SVC_API_KEY'

/** Sufficient for large networks: 100,000 pairs of an index and a shard. */
const ANSWER_BYTES_MAX = 16 * MiB
const CONNECT_MS = 5000
/** Searches end after 1.5 s by default; a busy server may let them wait for some seconds. */
const ANSWER_MS = 10_000
/** Instances may have to count all their documents, or write a large body to disk. */
export const LONG_ANSWER_MS = 180_000
/** Levels of objects and lists in an answer: more than documents have. */
const NESTED_MAX = 1000

export type Instance = {
  /** Address of the instance. */
  readonly url: string
  /** null if it needs none. */
  readonly apiKey: string | null
}

/** Returns the instance from the options and the environment. @throws ToolError */
export function instanceOf(parsed: Parsed): Instance {
  const apiKey = process.env[KEY_VARIABLE] || null
  const problem = headerValueProblem(apiKey ?? '')
  if (problem !== null) throw new ToolError(`the key in ${KEY_VARIABLE} ${problem}`)
  return { url: String(parsed['url']), apiKey }
}

type InstanceRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** A string is sent as JSON. */
  readonly body?: string | Uint8Array
  readonly contentType?: string
  /** The action that the key needs, for the message about a refused key. */
  readonly action: string
  /** Milliseconds for the whole answer; absent: ten seconds. */
  readonly answerMs?: number
}

/** Returns the answer if it has the expected form. @throws ToolError */
export async function askInstance<T>(
  { url, apiKey }: Instance,
  request: InstanceRequest,
  schema: Schema<T>,
): Promise<T> {
  const { method, path, body, contentType = 'application/json', action } = request
  const { answerMs = ANSWER_MS } = request
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
  const type = body === undefined ? {} : { 'content-type': contentType }
  const sent = {
    method,
    url: addressOf(url, path),
    headers: { ...authorization, ...type },
    body: body === undefined ? null : Buffer.from(body),
    connectMs: CONNECT_MS,
    timeoutMs: answerMs,
    totalMs: answerMs,
    answerBytesMax: ANSWER_BYTES_MAX,
    // A longer answer is refused instead of cut.
    take: () => true,
    signal: null,
  }
  try {
    const answer = await caller('any', false, undefined, false)(sent)
    const value = parsed(answer.body)
    if (isSuccess(answer.status) && isValid(schema, value)) return value
    throw new ToolError(refusal(shown(url), action, answer.status, value))
  } catch (error) {
    if (!(error instanceof OutgoingFault)) throw error
    throw new ToolError(`${shown(url)} ${problemOf(error, answerMs)}`)
  }
}

function problemOf({ kind, message, isTimeout }: OutgoingFault, answerMs: number): string {
  if (kind === 'tooLarge') return `sends an answer of more than ${bytesText(ANSWER_BYTES_MAX)}`
  if (isTimeout) return `has not answered after ${answerMs / 1000} s`
  return `does not answer: ${message}`
}

const isSuccess = (status: number): boolean => status === 200 || status === 202

/** Returns a URL without a user and a password. */
const shown = (url: string): string => url.replace(/\/\/[^/?#]*@/, '//')

/** Returns the address of a path below that of the URL, as behind a proxy. @throws ToolError */
export function addressOf(url: string, path: string): string {
  const base = URL.canParse(url) ? new URL(url) : null
  if (base !== null && /^https?:$/.test(base.protocol)) {
    return new URL(base.pathname.replace(/\/+$/, '') + path, base).href
  }
  throw new ToolError(
    `\`${shown(url)}\` is not the URL of an instance: expected one such as http://localhost:7700`,
  )
}

function parsed(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    return isNestedDeeper(value, NESTED_MAX) ? null : value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

const FAULT = open(object<{ readonly message: string }>({ message: text }))

function refusal(url: string, action: string, status: number, value: unknown): string {
  if (status === 401 || status === 403) {
    return `${url} refuses the key: set ${KEY_VARIABLE} to one with the action \`${action}\``
  }
  if (isSuccess(status))
    return `${url} sends an unexpected answer: is it an instance of this release?`
  const why = isValid(FAULT, value) ? value.message : 'without a reason'
  return `${url} refuses (${status}): ${why}`
}
