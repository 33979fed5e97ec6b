// Writes the heads of requests that need nothing but plain HTTP/1.1: a body in memory, a time limit
// for the whole call, and names and values of headers that are valid as they are. Other requests
// are left to Node's client.
import type { OutgoingRequest } from '../../engine/index.ts'
import type { Target } from './connections.ts'

export type PlainRequest = {
  readonly target: Target
  /** The request line and headers in Latin-1, up to the empty line. */
  readonly head: string
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t\x20-\x7e]*$/
/** Headers that decide where the body ends, or whether it is sent at all. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
])
/** Number of URLs whose parts are cached. */
const TARGETS_MAX = 1000
const HTTP_PORT = 80

export class PlainRequests {
  readonly #targets = new Map<string, Target | null>()

  /** Returns null for a request that Node's client has to send. */
  plain({ method, url, headers, body, timeoutMs, totalMs }: OutgoingRequest): PlainRequest | null {
    if (totalMs === undefined || timeoutMs < totalMs) return null
    const target = this.#targetOf(url)
    if (target === null) return null
    let head = `${method} ${target.path} HTTP/1.1\r\nHost: ${target.hostHeader}\r\n`
    for (const name in headers) {
      const value = headers[name]!
      const isPlain = NAME.test(name) && VALUE.test(value) && !FRAMING.has(name.toLowerCase())
      if (!isPlain) return null
      head += `${name}: ${value}\r\n`
    }
    const hasLength = body !== null || (method !== 'GET' && method !== 'DELETE')
    const length = hasLength ? `Content-Length: ${body?.length ?? 0}\r\n` : ''
    return { target, head: `${head}${length}\r\n` }
  }

  #targetOf(text: string): Target | null {
    const cached = this.#targets.get(text)
    if (cached !== undefined) return cached
    if (this.#targets.size === TARGETS_MAX) this.#targets.clear()
    const target = targetOf(text)
    this.#targets.set(text, target)
    return target
  }
}

function targetOf(text: string): Target | null {
  if (!URL.canParse(text)) return null
  const { protocol, hostname, port, host, username, password, pathname, search } = new URL(text)
  if (protocol !== 'http:' || username !== '' || password !== '') return null
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? HTTP_PORT : Number(port),
    hostHeader: host,
    path: `${pathname}${search}`,
  }
}
