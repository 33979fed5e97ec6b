// Messages of JSON-RPC 2.0 as the Model Context Protocol uses them, and its versions.
import type { ApiError } from '../errors/index.ts'
import { CACHE_MS } from './limits.ts'

/** The version without sessions and handshake. */
export const VERSION = '2026-07-28'
/**
 * Older versions, whose clients begin with `initialize`, newest first. This server keeps nothing
 * between their requests either.
 */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export const isKnownVersion = (version: unknown): boolean =>
  version === VERSION || HANDSHAKE_VERSIONS.some((known) => known === version)

/** Returns the version to use with a client that begins with a handshake. */
export const versionFor = (requested: unknown): string =>
  HANDSHAKE_VERSIONS.find((version) => version === requested) ?? HANDSHAKE_VERSIONS[0]

/** Codes of errors: three of JSON-RPC, and one of the protocol. */
export const CODES = {
  unknownMethod: -32601,
  badParams: -32602,
  failed: -32603,
  unsupportedVersion: -32022,
} as const

export type RpcId = string | number

/** A failure of a request that JSON-RPC reports. */
export class McpError extends Error {
  override readonly name = 'McpError'

  constructor(
    readonly code: number,
    message: string,
    readonly data: { readonly [member: string]: unknown },
  ) {
    super(message)
  }
}

/** Returns the failure of a call of this API. The arguments can be corrected unless it is 401, 403. */
export function failureOf(error: ApiError): McpError {
  const { code: errorName, type: errorType, link: errorLink, message } = error.toBody()
  const { status: statusCode } = error
  const isByRights = statusCode === 401 || statusCode === 403
  const code = statusCode < 500 && !isByRights ? CODES.badParams : CODES.failed
  return new McpError(code, message, { statusCode, errorName, errorType, errorLink })
}

/** Members of a result that a release alone determines. */
export const CACHEABLE = { resultType: 'complete', ttlMs: CACHE_MS, cacheScope: 'public' } as const

/** Returns the text of an answer; `result` is JSON text. */
export const resultText = (id: RpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

export const errorText = (id: RpcId, { code, message, data }: McpError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })

/** Returns the result of a tool: an answer of this API, as text and as a value. `json`: its text. */
export const toolResult = (json: string): string =>
  '{"resultType":"complete","ttlMs":0,"cacheScope":"private",' +
  `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`
