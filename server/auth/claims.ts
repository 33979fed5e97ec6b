// The content of a tenant token: the algorithm in its header, the key and the rules in its claims.
// Both are read before the signature is verified, because the claims select the signing key.

import { readUuid } from '../../engine/index.ts'
import { quotedNames } from '../../format/errors.ts'
import type { Uuid } from '../../format/ids.ts'
import { isInteger } from '../../format/json/index.ts'
import { undecodable } from './faults.ts'
import { readSearchRules, type SearchRules } from './search-rules.ts'
import { TokenObject, type Value } from './token-json.ts'

const ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const
/**
 * In the order in which messages list them. Algorithms with key pairs are named but not accepted.
 */
const NAMED_ALGORITHMS: readonly string[] = [
  ...ALGORITHMS,
  'ES256',
  'ES384',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
]
/** Members of a header that the standards define as strings. */
const HEADER_TEXTS = ['typ', 'cty', 'jku', 'kid', 'x5u', 'x5t', 'x5t#S256', 'zip', 'enc'] as const

const I64_MAX = 9223372036854775807n

export type Claims = {
  readonly apiKeyUid: Uuid
  /** Seconds since 1970, or null if the token does not expire. */
  readonly expiresAt: number | null
  readonly rules: SearchRules
  /** True if the token names an audience; such tokens are refused. */
  readonly hasAudience: boolean
}

/** Returns the algorithm. @throws ApiError */
export function readHeader(bytes: Uint8Array): string {
  const header = new TokenObject(bytes, 'struct Header')
  for (const [name, value] of header.members) {
    if (name === 'alg') checkAlgorithm(header, value)
    else if ((HEADER_TEXTS as readonly string[]).includes(name)) {
      if (!header.isText(value) && !header.isNull(value)) throw header.wrongType(value, 'a string')
    }
  }
  const algorithm = header.members.get('alg')
  if (algorithm === undefined) throw header.missing('alg')
  return header.text(algorithm)
}

function checkAlgorithm(header: TokenObject, value: Value): void {
  if (!header.isText(value)) throw header.fault('expected value', value.from + 1)
  const name = header.text(value)
  if (NAMED_ALGORITHMS.includes(name)) return
  const names = quotedNames(NAMED_ALGORITHMS)
  throw header.fault(`unknown variant \`${name}\`, expected one of ${names}`, value.to)
}

/** @throws ApiError for a name that is known and not accepted */
export function requireAlgorithm(name: string): void {
  if (!(ALGORITHMS as readonly string[]).includes(name)) throw undecodable('InvalidAlgorithm')
}

/** @throws ApiError for the first invalid claim, or the first missing one */
export function readClaims(bytes: Uint8Array): Claims {
  const object = new TokenObject(bytes, 'struct Claims')
  let rules: SearchRules | undefined
  let expiresAt: number | null = null
  let apiKeyUid: Uuid | undefined
  for (const [name, value] of object.members) {
    if (name === 'searchRules') rules = searchRules(object, value)
    else if (name === 'exp') expiresAt = seconds(object, value)
    else if (name === 'apiKeyUid') apiKeyUid = keyUid(object, value)
  }
  if (rules === undefined) throw object.missing('searchRules')
  if (apiKeyUid === undefined) throw object.missing('apiKeyUid')
  return { apiKeyUid, expiresAt, rules, hasAudience: hasAudience(object) }
}

function searchRules(object: TokenObject, value: Value): SearchRules {
  const rules = readSearchRules(JSON.parse(object.source(value)))
  if (rules !== null) return rules
  // The error's position is after the value, or after the object if the value is its last member.
  const isLast = [...object.members.values()].at(-1) === value
  const words = 'data did not match any variant of untagged enum SearchRules'
  throw object.fault(words, isLast ? object.end : value.to)
}

function seconds(object: TokenObject, value: Value): number | null {
  if (object.isNull(value)) return null
  const source = object.source(value)
  const isNumber = /^[-\d]/.test(source)
  if (!isNumber || !isInteger(object.bytes, value.from, value.to)) {
    throw object.wrongType(value, 'i64')
  }
  if (BigInt(source) <= I64_MAX) return Number(source)
  throw object.fault(`invalid value: integer \`${source}\`, expected i64`, value.to)
}

function keyUid(object: TokenObject, value: Value): Uuid {
  if (!object.isText(value)) throw object.wrongType(value, 'a formatted UUID string')
  const read = readUuid(object.text(value))
  if (read.uid !== null) return read.uid
  throw object.fault(`UUID parsing failed: ${read.problem}`, value.to)
}

/** An audience is a string or a list of strings; other values are ignored. */
function hasAudience(object: TokenObject): boolean {
  const value = object.members.get('aud')
  if (value === undefined) return false
  const audience: unknown = JSON.parse(object.source(value))
  if (typeof audience === 'string') return true
  return Array.isArray(audience) && audience.every((one) => typeof one === 'string')
}
