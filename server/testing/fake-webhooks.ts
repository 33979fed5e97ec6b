// Webhooks for tests of routes, in memory.

import type { Webhook, Webhooks } from '../../engine/admin/webhooks/index.ts'
import { EngineFault } from '../../engine/model/index.ts'

export function fakeWebhooks(): Webhooks {
  const all = new Map<string, Webhook>()
  const need = (uuid: string): Webhook => {
    const webhook = all.get(uuid)
    if (webhook === undefined)
      throw new EngineFault('webhook_not_found', `\`${uuid}\` is not there.`)
    return webhook
  }
  return {
    list: () => [...all.values()],
    get: (uuid) => all.get(uuid),
    create: async (webhook) => {
      all.set(webhook.uuid, webhook)
      return webhook
    },
    update: async (uuid, { url }) => {
      const changed = { ...need(uuid), ...(url === undefined ? {} : { url }) }
      all.set(uuid, changed)
      return changed
    },
    remove: async (uuid) => {
      all.delete(need(uuid).uuid)
    },
  }
}
