// Commands on a network: its distribution, the effect of a change, and equality of replicas.
export { instanceOf } from '../remote/index.ts'
export { planText, readPlan } from './plan.ts'
export { repairReplicas, repairText } from './repair.ts'
export { readStatus, statusText } from './status.ts'
export { readReplicas, replicasText } from './verify.ts'
