// Metrics of the server, for Prometheus.
export { EventTally } from './event-tally.ts'
export { Metrics } from './metrics.ts'
export { RequestTally } from './request-tally.ts'
