// Commands on snapshots: inspect, list, verify.
export { inspectSnapshot, snapshotText } from './inspect.ts'
export { listSnapshots, listText } from './list.ts'
export { verifiedText, verifySnapshot } from './verify.ts'
