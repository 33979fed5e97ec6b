// How is the server doing, in numbers that Prometheus collects?

export { EventTally } from './event-tally.ts'
export { Metrics } from './metrics.ts'
export { RequestTally } from './request-tally.ts'
