// Commands on dumps: inspect, verify, extract.
export { extractIndex, extractText } from './extract.ts'
export { type DumpSummary, inspectDump, inspectText } from './inspect.ts'
export { type DumpVerdict, verdictText, verifyDump } from './verify.ts'
