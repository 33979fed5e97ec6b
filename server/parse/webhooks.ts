// Requests about webhooks. URLs and headers are checked separately, once the webhook is known.
import { headerValueProblem, readUuid } from '../../engine/index.ts'
import type { Uuid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import {
  mapOf,
  nullable,
  partial,
  type Schema,
  text,
  urlProblem,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

/** The unchecked body: null and absent are different. */
export type WebhookBody = {
  readonly url?: string | null
  readonly headers?: { readonly [name: string]: string | null } | null
}

const body: Schema<WebhookBody> = partial<WebhookBody>(
  { url: nullable(text), headers: nullable(mapOf(nullable(text))) },
  { url: 'invalid_webhook_url', headers: 'invalid_webhook_headers' },
  {
    immutable: {
      uuid: 'immutable_webhook_uuid',
      isEditable: 'immutable_webhook_is_editable',
    },
  },
)

/** @throws ApiError */
export const readWebhook: WholeBody<WebhookBody> = wholeBody(body)

/** Reads the id of a webhook in a path, in lower case with hyphens. @throws ApiError */
export function readWebhookUuid(spelling: string): Uuid {
  const read = readUuid(spelling)
  if (read.uid !== null) return read.uid
  throw new ApiError('invalid_webhook_uuid', `Invalid UUID: ${read.problem}`)
}

/** Checks the URL for the webhook with this id. @throws ApiError */
export function checkWebhookUrl(url: string | null | undefined, uuid: Uuid): string {
  if (url === undefined || url === null || url === '') {
    throw new ApiError('invalid_webhook_url', `The URL for the webhook \`${uuid}\` is missing.`)
  }
  const problem = urlProblem(url)
  if (problem === null) return url
  throw new ApiError('invalid_webhook_url', `Invalid URL \`${url}\`: ${problem}`)
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** @throws ApiError */
export function checkWebhookHeaders(headers: NonNullable<WebhookBody['headers']>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) throw badHeader(`name \`${name}\`: invalid HTTP header name`)
    const problem = headerValueProblem(value ?? '')
    if (problem === null) continue
    const advice = /[\r\n]$/.test(value ?? '') ? `: the text ${problem}` : ''
    throw badHeader(`value \`${name}\`: failed to parse header value${advice}`)
  }
}

const badHeader = (problem: string): ApiError =>
  new ApiError('invalid_webhook_headers', `Invalid header ${problem}`)
