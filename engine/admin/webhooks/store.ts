// The webhooks of a database: values of the manifest.
import { compareText } from '../../../format/bytes/index.ts'
import { asUuid, type Uuid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Manifest } from '../../store/catalog/index.ts'
import { type ValueSpace, ValueStore, valueChange } from '../../store/values/index.ts'
import { WEBHOOK_HEADERS_MAX, WEBHOOKS_MAX } from './limits.ts'
import { decodeWebhook, encodeWebhook, type WebhookRecord } from './record.ts'

export type Webhook = WebhookRecord & {
  /** In lower case with hyphens. */
  readonly uuid: Uuid
}

export type WebhookPatch = {
  /** If absent, the address stays as it is. */
  readonly url?: string
  /** null removes all headers; null for a single header removes it, an absent header stays. */
  readonly headers?: { readonly [name: string]: string | null } | null
}

export interface Webhooks {
  /** In order of uuid. */
  list(): readonly Webhook[]
  get(uuid: Uuid): Webhook | undefined
  /** Creates a webhook. Durable when it resolves, like all changes. @throws EngineFault */
  create(webhook: Webhook): Promise<Webhook>
  /** @throws EngineFault webhook_not_found, invalid_webhook_headers */
  update(uuid: Uuid, patch: WebhookPatch): Promise<Webhook>
  /** @throws EngineFault webhook_not_found */
  remove(uuid: Uuid): Promise<void>
}

const WEBHOOKS: ValueSpace<Webhook> = {
  name: 'webhooks',
  encode: encodeWebhook,
  decode: (record, uuid) => ({ uuid: asUuid(uuid), ...decodeWebhook(record) }),
  // Their number and headers are limited separately.
  limit: null,
}

/** Returns the changes of the manifest for imported webhooks. @throws EngineFault */
export function webhookChanges(webhooks: readonly Webhook[]): readonly Change[] {
  webhooks.forEach(checkHeaders)
  return webhooks.map((webhook) => valueChange(WEBHOOKS, webhook.uuid, webhook))
}

export class WebhookStore implements Webhooks {
  readonly #values: ValueStore<Webhook>

  /** @throws CorruptionError if a record is not readable */
  constructor(manifest: Manifest) {
    this.#values = new ValueStore(manifest, WEBHOOKS)
  }

  list(): readonly Webhook[] {
    return [...this.#values.all().values()]
  }

  get(uuid: Uuid): Webhook | undefined {
    return this.#values.get(uuid)
  }

  async create(webhook: Webhook): Promise<Webhook> {
    checkHeaders(webhook)
    await this.#values.update(() => {
      if (this.#values.size >= WEBHOOKS_MAX) throw tooMany()
      return [[webhook.uuid, webhook]]
    })
    return webhook
  }

  async update(uuid: Uuid, patch: WebhookPatch): Promise<Webhook> {
    await this.#values.update(() => {
      const changed = patched(this.#existing(uuid), patch)
      checkHeaders(changed)
      return [[uuid, changed]]
    })
    return this.#existing(uuid)
  }

  async remove(uuid: Uuid): Promise<void> {
    await this.#values.update(() => [[this.#existing(uuid).uuid, null]])
  }

  #existing(uuid: Uuid): Webhook {
    const webhook = this.#values.get(uuid)
    if (webhook === undefined) throw notFound(uuid)
    return webhook
  }
}

function patched(webhook: Webhook, { url, headers }: WebhookPatch): Webhook {
  const all = new Map(Object.entries(headers === null ? {} : webhook.headers))
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  const sorted = [...all].sort(([a], [b]) => compareText(a, b))
  return { uuid: webhook.uuid, url: url ?? webhook.url, headers: Object.fromEntries(sorted) }
}

function checkHeaders({ uuid, headers }: Webhook): void {
  if (Object.keys(headers).length <= WEBHOOK_HEADERS_MAX) return
  throw new EngineFault(
    'invalid_webhook_headers',
    `Too many headers for the webhook \`${uuid}\`. Please limit the number of headers to ` +
      `${WEBHOOK_HEADERS_MAX}. Hint: To remove an already defined header set its value to \`null\``,
  )
}

const tooMany = (): EngineFault =>
  new EngineFault(
    'invalid_webhooks',
    'Defining too many webhooks would crush the server. Please limit the number of webhooks to ' +
      `${WEBHOOKS_MAX}. You may use a third-party proxy server to dispatch events to more than ` +
      `${WEBHOOKS_MAX} endpoints.`,
  )

const notFound = (uuid: Uuid): EngineFault =>
  new EngineFault('webhook_not_found', `Webhook \`${uuid}\` not found.`)
