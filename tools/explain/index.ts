// What does a search do? `svc-tools explain`.
export { explain } from './explain.ts'
export { explainText } from './explain-text.ts'
