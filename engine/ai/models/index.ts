// Here is a text and a model on this machine: which vector?
export { ModelCore } from './core.ts'
export type { ModelJob, ModelReply, ModelThreadData } from './protocol.ts'
export { modelsInPlace, modelThread } from './thread.ts'
