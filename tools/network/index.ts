// Who holds what in a network, what would a change move, and do all instances have the same?

export { instanceOf } from '../remote/index.ts'
export { planText, readPlan } from './plan.ts'
export { readStatus, statusText } from './status.ts'
export { readReplicas, replicasText } from './verify.ts'
