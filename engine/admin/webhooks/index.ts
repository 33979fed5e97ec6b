// Which addresses are notified of finished tasks?
export {
  type Webhook,
  WebhookStore,
  type Webhooks,
  webhookChanges,
} from './store.ts'
