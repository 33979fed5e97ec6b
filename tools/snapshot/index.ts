// What is in a snapshot, and would it become a database again?
export { inspectSnapshot, type SnapshotSummary, snapshotText } from './inspect.ts'
export { type ListedSnapshot, listSnapshots, listText } from './list.ts'
export { type Verified, type VerifyOptions, verifiedText, verifySnapshot } from './verify.ts'
