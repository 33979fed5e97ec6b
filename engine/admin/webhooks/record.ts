// A webhook as the manifest stores it: JSON text with the address and the headers.
import { encoder } from '../../../format/bytes/index.ts'
import { decodedJson, mapOf, object, text } from '../../../format/schema/index.ts'

/** Header → value, in byte order of the names. */
type WebhookHeaders = { readonly [name: string]: string }

export type WebhookRecord = { readonly url: string; readonly headers: WebhookHeaders }

const WEBHOOK = object<WebhookRecord>({ url: text, headers: mapOf(text) })

export const encodeWebhook = ({ url, headers }: WebhookRecord): Uint8Array =>
  encoder.encode(JSON.stringify({ url, headers }))

/** @throws CorruptionError for any bytes that `encodeWebhook` does not write */
export const decodeWebhook = (bytes: Uint8Array): WebhookRecord =>
  decodedJson(WEBHOOK, bytes, 'webhook')
