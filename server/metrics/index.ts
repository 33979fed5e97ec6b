// Metrics of the server for Prometheus, and sizes of the last hour.
export { EventTally } from './event-tally.ts'
export { Metrics } from './metrics.ts'
export { RequestTally } from './request-tally.ts'
export { StatsHistory } from './stats-history.ts'
