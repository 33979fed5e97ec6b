// Queries a running instance. The key comes from the environment, because other users of the
// machine can read command lines.
import { OutgoingFault } from '../../engine/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import { isValid, object, open, type Schema, text } from '../../format/schema/index.ts'
import { caller } from '../../server/outbound/index.ts'
import { type Parsed, ToolFailure } from '../terminal/index.ts'

/** Environment variable with the key. */
const KEY_VARIABLE = 'SVC_API_KEY'

/** Sufficient for large networks: 100,000 pairs of an index and a shard. */
const ANSWER_BYTES_MAX = 16 * MiB
const CONNECT_MS = 5000
/** Instances may have to count all their documents. */
const ANSWER_MS = 180_000

export type Instance = {
  /** Address of the instance. */
  readonly url: string
  /** null if it needs none. */
  readonly apiKey: string | null
}

/** Returns the instance from the options and the environment. */
export const instanceOf = (parsed: Parsed): Instance => ({
  url: String(parsed['url']),
  apiKey: process.env[KEY_VARIABLE] || null,
})

type InstanceRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** A string is sent as JSON. */
  readonly body?: string | Uint8Array
  readonly contentType?: string
  /** The action that the key needs, for the message about a refused key. */
  readonly action: string
}

/** Returns the answer if it has the expected form. @throws ToolFailure */
export async function askInstance<T>(
  { url, apiKey }: Instance,
  { method, path, body, contentType = 'application/json', action }: InstanceRequest,
  schema: Schema<T>,
): Promise<T> {
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
  const type = body === undefined ? {} : { 'content-type': contentType }
  const request = {
    method,
    url: addressOf(url, path),
    headers: { ...authorization, ...type },
    body: body === undefined ? null : Buffer.from(body),
    connectMs: CONNECT_MS,
    timeoutMs: ANSWER_MS,
    totalMs: ANSWER_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
    signal: null,
  }
  try {
    const answer = await caller('any', false, undefined, false)(request)
    const value = parsed(answer.body)
    if (isSuccess(answer.status) && isValid(schema, value)) return value
    throw new ToolFailure(refusal(url, action, answer.status, value))
  } catch (error) {
    if (!(error instanceof OutgoingFault)) throw error
    throw new ToolFailure(`${url} does not answer: ${error.message}`)
  }
}

const isSuccess = (status: number): boolean => status === 200 || status === 202

/** @throws ToolFailure */
function addressOf(url: string, path: string): string {
  const base = URL.canParse(url) ? new URL(url) : null
  if (base !== null && /^https?:$/.test(base.protocol)) return new URL(path, base).href
  throw new ToolFailure(
    `\`${url}\` is not the URL of an instance: expected one such as http://localhost:7700`,
  )
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
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
