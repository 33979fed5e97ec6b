// What is in a dump, and is it sound?
export { extractIndex, extractText } from './extract.ts'
export { type DumpSummary, inspectDump, inspectText } from './inspect.ts'
export { type DumpVerdict, verdictText, verifyDump } from './verify.ts'
