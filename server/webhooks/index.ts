// Tasks have finished: who hears of it, and how?
export { Delivery, type DeliveryOptions } from './delivery.ts'
