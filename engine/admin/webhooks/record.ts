// A webhook as the manifest keeps it: JSON text, the address and the headers, nothing else.
import { refuse } from '../../../format/errors.ts'
import { type Members, membersOf, valueJson } from '../../store/catalog/index.ts'

const SECTION = 'webhook'
const encoder = new TextEncoder()

/** Header → value, in byte order of the names. */
type WebhookHeaders = { readonly [name: string]: string }

export type WebhookRecord = { readonly url: string; readonly headers: WebhookHeaders }

export const encodeWebhook = ({ url, headers }: WebhookRecord): Uint8Array =>
  encoder.encode(JSON.stringify({ url, headers }))

/** @throws CorruptionError for anything that `encodeWebhook` does not write */
export function decodeWebhook(bytes: Uint8Array): WebhookRecord {
  const { url, headers, ...rest } = objectOf(valueJson(SECTION, bytes))
  if (typeof url !== 'string') refuse(SECTION, 0, 'bad_value', 'a url', typeof url)
  const all = objectOf(headers)
  for (const value of Object.values(all)) {
    if (typeof value !== 'string') refuse(SECTION, 0, 'bad_value', 'a header', typeof value)
  }
  const more = Object.keys(rest).length
  if (more > 0) refuse(SECTION, 0, 'bad_value', 'two members', more + 2)
  return { url, headers: all as WebhookHeaders }
}

const objectOf = (value: unknown): Members => membersOf(SECTION, value)
