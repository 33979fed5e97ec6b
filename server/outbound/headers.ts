// Headers as they are sent, a byte for each character, and as they are received.
import { unescape as decoded } from 'node:querystring'
import { headerValueProblem } from '../../engine/index.ts'

type Headers = { readonly [name: string]: string }

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Returns why headers cannot be sent, or null if they can: Node would throw. */
export function headersProblem(headers: Headers): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return `the header ${JSON.stringify(name)} cannot be sent`
    const problem = headerValueProblem(value)
    if (problem !== null) return `the header \`${name}\` cannot be sent: its value ${problem}`
  }
  return null
}

const PLAIN = /^[\t -~]*$/

/** Headers that describe the connection or frame the body: the client sends its own. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns the headers that are sent to `url`, with the UTF-8 bytes of their values: the last one of
 * each name, and user and password of the URL.
 */
export function sentHeaders(headers: Headers, url: URL): Headers {
  const sent = new Map<string, [name: string, value: string]>()
  const { username, password } = url
  if (username !== '' || password !== '') {
    const user = Buffer.from(`${decoded(username)}:${decoded(password)}`)
    sent.set('authorization', ['authorization', `Basic ${user.toString('base64')}`])
  }
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (OF_THE_CONNECTION.has(key)) continue
    sent.set(key, [name, PLAIN.test(value) ? value : Buffer.from(value).toString('latin1')])
  }
  return Object.fromEntries(sent.values())
}

/** Returns the first value of a header. */
export const first = (value: string | string[]): string =>
  typeof value === 'string' ? value : value[0]!
