// Which addresses are notified of finished tasks?
export { decodeWebhook, encodeWebhook } from './record.ts'
export {
  type Webhook,
  WebhookStore,
  type Webhooks,
  webhookChanges,
} from './store.ts'
