// Who is told when tasks have finished?
export { decodeWebhook, encodeWebhook, type WebhookHeaders } from './record.ts'
export {
  type Webhook,
  type WebhookPatch,
  WebhookStore,
  type Webhooks,
  webhookChanges,
} from './store.ts'
