// Computes vectors of texts by a model on this machine, with one of two encoders: ./MODELS.md
export { ModelCore } from './core.ts'
export type { ModelJob, ModelReply, ModelThreadData } from './protocol.ts'
export { modelsInPlace, modelThread } from './thread.ts'
