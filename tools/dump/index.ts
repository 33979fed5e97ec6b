// Commands on dumps: inspect, verify, extract.
export { extractIndex, extractText } from './extract.ts'
export { inspectDump, inspectText } from './inspect.ts'
export { verdictText, verifyDump } from './verify.ts'
