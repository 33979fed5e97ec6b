// Who is told when tasks have finished?
export { decodeWebhook, encodeWebhook } from './record.ts'
export {
  type Webhook,
  WebhookStore,
  type Webhooks,
  webhookChanges,
} from './store.ts'
