// `svc-tools explain`: shows the steps of a search.
export { explain } from './explain.ts'
export { explainText } from './explain-text.ts'
