// Notifies webhooks of finished tasks.
export { Delivery } from './delivery.ts'
