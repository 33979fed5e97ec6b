// What is in a snapshot, and would it become a database again?
export { inspectSnapshot, snapshotText } from './inspect.ts'
export { listSnapshots, listText } from './list.ts'
export { verifiedText, verifySnapshot } from './verify.ts'
