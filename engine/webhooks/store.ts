// The webhooks of a database: durable as values of the manifest, and here in memory. What is in
// memory is what the manifest says.
import { compareText } from '../../format/bytes/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import type { Manifest, State } from '../catalog/index.ts'
import { EngineFault } from '../errors.ts'
import { WEBHOOK_HEADERS_MAX, WEBHOOKS_MAX } from './limits.ts'
import { decodeWebhook, encodeWebhook, type WebhookRecord } from './record.ts'

const SPACE = 'webhooks'

export type Webhook = WebhookRecord & {
  /** In lower case with hyphens. */
  readonly uuid: string
}

export type WebhookPatch = {
  /** Absence leaves it as it is. */
  readonly url?: string
  /** null clears them; of single ones null removes, absence leaves. */
  readonly headers?: { readonly [name: string]: string | null } | null
}

export interface Webhooks {
  /** By uuid. */
  list(): readonly Webhook[]
  get(uuid: string): Webhook | undefined
  /** Durable when it resolves, like all that follow. @throws EngineFault */
  create(webhook: Webhook): Promise<Webhook>
  /** @throws EngineFault webhook_not_found, invalid_webhook_headers */
  update(uuid: string, patch: WebhookPatch): Promise<Webhook>
  /** @throws EngineFault webhook_not_found */
  remove(uuid: string): Promise<void>
}

/** Values of the manifest for webhooks that come from elsewhere. @throws EngineFault */
export function webhookChanges(webhooks: readonly Webhook[]): readonly Change[] {
  webhooks.forEach(checkHeaders)
  return webhooks.map((webhook) => valueSet(webhook.uuid, encodeWebhook(webhook)))
}

export class WebhookStore implements Webhooks {
  readonly #manifest: Manifest
  #all: ReadonlyMap<string, Webhook>

  /** @throws CorruptionError when a record is not readable */
  constructor(manifest: Manifest) {
    this.#manifest = manifest
    this.#all = webhooksOf(manifest.state)
  }

  list(): readonly Webhook[] {
    return [...this.#all.values()]
  }

  get(uuid: string): Webhook | undefined {
    return this.#all.get(uuid)
  }

  async create(webhook: Webhook): Promise<Webhook> {
    checkHeaders(webhook)
    await this.#commit((state) => {
      if (recordsOf(state).size >= WEBHOOKS_MAX) throw tooMany()
      return valueSet(webhook.uuid, encodeWebhook(webhook))
    })
    return webhook
  }

  async update(uuid: string, patch: WebhookPatch): Promise<Webhook> {
    await this.#commit((state) => {
      const record = recordsOf(state).get(uuid)
      if (record === undefined) throw notFound(uuid)
      const changed = patched({ uuid, ...decodeWebhook(record) }, patch)
      checkHeaders(changed)
      return valueSet(uuid, encodeWebhook(changed))
    })
    return this.#all.get(uuid)!
  }

  async remove(uuid: string): Promise<void> {
    await this.#commit((state) => {
      if (!recordsOf(state).has(uuid)) throw notFound(uuid)
      return valueSet(uuid, null)
    })
  }

  /** The function sees the newest state: two changes of one webhook follow one another. */
  async #commit(change: (state: State) => Change): Promise<void> {
    await this.#manifest.commit((state) => [change(state)])
    this.#all = webhooksOf(this.#manifest.state)
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

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

const recordsOf = (state: State): ReadonlyMap<string, Uint8Array> =>
  state.values.get(SPACE) ?? NO_RECORDS

function webhooksOf(state: State): ReadonlyMap<string, Webhook> {
  const all = [...recordsOf(state)].sort(([a], [b]) => compareText(a, b))
  return new Map(all.map(([uuid, record]) => [uuid, { uuid, ...decodeWebhook(record) }]))
}

const valueSet = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})

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

const notFound = (uuid: string): EngineFault =>
  new EngineFault('webhook_not_found', `Webhook \`${uuid}\` not found.`)
