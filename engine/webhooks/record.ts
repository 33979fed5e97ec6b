// A webhook as the manifest keeps it: JSON text, the address and the headers, nothing else.
import { refuse } from '../../format/errors.ts'

const SECTION = 'webhook'
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Header → value, in byte order of the names. */
export type WebhookHeaders = { readonly [name: string]: string }

export type WebhookRecord = { readonly url: string; readonly headers: WebhookHeaders }

export const encodeWebhook = ({ url, headers }: WebhookRecord): Uint8Array =>
  encoder.encode(JSON.stringify({ url, headers }))

/** @throws CorruptionError for anything that `encodeWebhook` does not write */
export function decodeWebhook(bytes: Uint8Array): WebhookRecord {
  const { url, headers, ...rest } = objectOf(parse(bytes))
  if (typeof url !== 'string') refuse(SECTION, 0, 'bad_value', 'a url', typeof url)
  const all = objectOf(headers)
  for (const value of Object.values(all)) {
    if (typeof value !== 'string') refuse(SECTION, 0, 'bad_value', 'a header', typeof value)
  }
  const more = Object.keys(rest).length
  if (more > 0) refuse(SECTION, 0, 'bad_value', 'two members', more + 2)
  return { url, headers: all as WebhookHeaders }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    // No UTF-8 (TypeError) or no JSON (SyntaxError).
    return refuse(SECTION, 0, 'bad_value', 'JSON', String(error))
  }
}

function objectOf(value: unknown): { readonly [member: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  return refuse(SECTION, 0, 'bad_value', 'an object', typeof value)
}
