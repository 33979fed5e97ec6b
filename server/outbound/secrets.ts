// The secrets of a request. Which header or parameter of another server holds a key is not known,
// so each is a secret unless it is named here.
import type { OutgoingRequest } from '../../engine/index.ts'
import { isObject } from '../../format/schema/index.ts'
import { SECRET_BODY_BYTES_MAX } from './limits.ts'

export type RequestParts = Pick<OutgoingRequest, 'url' | 'headers' | 'secrets'> & {
  /** Searched for secrets if it is JSON in memory. */
  readonly body: unknown
}

const OPEN_HEADER = new RegExp(
  `^(?:${[
    'accept|accept-.*|connection|content-.*|expect|host|range|transfer-encoding|user-agent',
    '(?:x-)?svc-proxy-.*',
  ].join('|')})$`,
  'i',
)
/** Parameters of this server's own routes, of object stores, and one of Azure. */
const OPEN_PARAMETER = new RegExp(
  `^(?:${[
    '(?:after|before)(?:Enqueued|Started|Finished)At|api-version|batchUids|canceledBy|csvDelimiter',
    'customMetadata|documents|fields|filter|from|ids|indexUids|limit|offset|primaryKey',
    'retrieveVectors|reverse|shards|skipCreation|sort|statuses|types|uids|useNetwork',
    'continuation-token|encoding-type|key-marker|list-type|partNumber|prefix|upload-id-marker',
    'uploadId|uploads|X-Amz-(?:Algorithm|Date|Expires|SignedHeaders)',
  ].join('|')})$`,
)
/** Members of JSON that hold a secret; so does each of `headers`. */
const SECRET_MEMBER = new RegExp(
  [
    '(?:^|api|access|secret|search|write|master|subscription)[-_]?key$',
    '(?:token|secret|password|authorization)$',
  ].join('|'),
  'i',
)
const SCHEME = /^(?:basic|bearer|digest|token)(?:\s+|$)/i
const BASIC = /^basic\s+(\S+)$/i
const LAST_WORD = /\s(\S+)$/
/** Values of parameters inside a header, such as cookies. */
const HEADER_PARAMETER = /[^\s;,=]=\s*"?([^\s;,"]+)/g
const URL_PARTS = /^(?:[^/?#]*\/\/([^/?#]*)@)?[^?#]*(?:\?([^#]*))?/

/** Returns the secrets as they are sent; some may be parts of others. */
export function secretsOf({ url, headers, secrets = [], body }: RequestParts): readonly string[] {
  const found = [...secrets, ...ofUrl(url)]
  for (const [name, value] of Object.entries(headers)) {
    if (!OPEN_HEADER.test(name)) found.push(...ofHeader(value))
  }
  const isJson = headers['content-type'] === 'application/json'
  if (isJson && body instanceof Uint8Array && body.length <= SECRET_BODY_BYTES_MAX) {
    found.push(...ofJson(body))
  }
  return found
}

/** Returns a value without its scheme, and its parts. */
function ofHeader(text: string): readonly string[] {
  const value = text.trim()
  const parts = [...value.matchAll(HEADER_PARAMETER)].map(([, part]) => part!)
  const last = LAST_WORD.exec(value)?.[1]
  const login = BASIC.exec(value)?.[1]
  return [
    value.replace(SCHEME, ''),
    ...parts,
    ...(last === undefined ? [] : [last]),
    ...(login === undefined ? [] : ofLogin(Buffer.from(login, 'base64').toString())),
  ]
}

/** Returns `user:password` and the password; a name without a password is the secret itself. */
const ofLogin = (login: string): readonly string[] => [login, login.slice(login.indexOf(':') + 1)]

/** The URL may be invalid. */
function ofUrl(url: string): readonly string[] {
  const [, login, query = ''] = URL_PARTS.exec(url) ?? []
  const found = login === undefined ? [] : [...ofLogin(login), ...ofLogin(unescaped(login))]
  for (const parameter of query.split('&')) {
    const at = parameter.indexOf('=')
    if (at >= 0 && OPEN_PARAMETER.test(parameter.slice(0, at))) continue
    const value = parameter.slice(at + 1)
    found.push(value, unescaped(value))
  }
  return found
}

/** Decodes `+` and `%` with two digits; other characters are kept. */
const unescaped = (text: string): string =>
  new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x')!

/** Returns the secrets among the members of a JSON value. */
function ofJson(body: Uint8Array): readonly string[] {
  const found: string[] = []
  const left: unknown[] = [parsed(body)]
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) for (const item of value) left.push(item)
    if (!isObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      if (name === 'headers' && isObject(member)) {
        for (const header of Object.values(member)) found.push(...ofHeader(String(header)))
      } else if (typeof member !== 'string') left.push(member)
      else if (SECRET_MEMBER.test(name)) found.push(...ofHeader(member))
    }
  }
  return found
}

/** Returns null if it is not JSON. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
