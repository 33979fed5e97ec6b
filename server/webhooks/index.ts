// Tasks have finished: who hears of it, and how?
export { Delivery } from './delivery.ts'
