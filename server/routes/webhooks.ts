// Webhooks: listing, creating, changing, deleting. The webhook of the launch options is listed with
// them and cannot be changed.
import { randomUUID } from 'node:crypto'
import { maskSecret, type View, type Webhook } from '../../engine/index.ts'
import { asUuid, type Uuid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { checkWebhookHeaders, checkWebhookUrl, readWebhookUuid } from '../parse/index.ts'
import { okReply, type RouteOptions } from './context/index.ts'

/** Uid of the launch option's webhook. */
export const LAUNCH_WEBHOOK = asUuid('00000000-0000-0000-0000-000000000000')

const READ = { permits: 'webhooks.get', body: 'none', query: null } as const
const CREATE = { permits: 'webhooks.create', body: jsonBody('webhook'), query: null } as const
const UPDATE = { permits: 'webhooks.update', body: jsonBody('webhook'), query: null } as const
const DELETE = { permits: 'webhooks.delete', body: 'none', query: null } as const

export function webhookRoutes(options: RouteOptions): readonly Route[] {
  const { webhooks } = options.engine
  const { launchWebhook } = options
  const all = (): readonly Webhook[] =>
    launchWebhook === null ? webhooks.list() : [launchWebhook, ...webhooks.list()]

  return [
    route('GET', '/webhooks', READ, () => okReply({ results: all().map(view) })),
    route('POST', '/webhooks', CREATE, async ({ body }) => {
      const uuid = asUuid(randomUUID())
      const url = checkWebhookUrl(body.url, uuid)
      const named = body.headers ?? {}
      checkWebhookHeaders(named)
      const headers = Object.fromEntries(
        Object.entries(named).map(([name, value]) => [name, value ?? '']),
      )
      return { status: 201, body: view(await webhooks.create({ uuid, url, headers })) }
    }),
    route('GET', '/webhooks/:uuid', READ, ({ params }) => {
      const uuid = readWebhookUuid(params.uuid)
      const one = all().find((webhook) => webhook.uuid === uuid)
      if (one !== undefined) return okReply(view(one))
      throw new ApiError('webhook_not_found', `Webhook \`${uuid}\` not found.`)
    }),
    route('PATCH', '/webhooks/:uuid', UPDATE, async ({ params, body: { url, headers } }) => {
      const uuid = editableUuid(params.uuid)
      if (webhooks.get(uuid) !== undefined) {
        if (url !== undefined) checkWebhookUrl(url, uuid)
        checkWebhookHeaders(headers ?? {})
      }
      const patch = {
        ...(typeof url === 'string' ? { url } : {}),
        ...(headers === undefined ? {} : { headers }),
      }
      return okReply(view(await webhooks.update(uuid, patch)))
    }),
    route('DELETE', '/webhooks/:uuid', DELETE, async ({ params }) => {
      await webhooks.remove(editableUuid(params.uuid))
      return { status: 204 }
    }),
  ]
}

function editableUuid(spelling: string): Uuid {
  const uuid = readWebhookUuid(spelling)
  if (uuid !== LAUNCH_WEBHOOK) return uuid
  throw new ApiError(
    'immutable_webhook',
    `Webhook \`${uuid}\` is immutable. The webhook defined from the command line cannot be ` +
      'modified using the API.',
  )
}

const view = ({ uuid, url, headers }: Webhook): View => ({
  uuid,
  isEditable: uuid !== LAUNCH_WEBHOOK,
  url,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, shownHeader(name, value)]),
  ),
})

const BEARER = 'Bearer '

/** Shows only the beginning of an authorization header. */
function shownHeader(name: string, value: string): string {
  if (name.toLowerCase() !== 'authorization') return value
  if (!value.startsWith(BEARER)) return maskSecret(value)
  return BEARER + maskSecret(value.slice(BEARER.length))
}
