// Evaluation of the syntax tree.
export { callFor } from './calls.ts'
export { positionIn } from './chains.ts'
export type { Native, NativeCall, Natives } from './machine.ts'
export { boolean, checkedInteger, contains } from './operators.ts'
export { Run } from './run.ts'
