// Which vector does a model on this machine compute for a text? Two encoders, and why: ./MODELS.md
export { ModelCore } from './core.ts'
export type { ModelJob, ModelReply, ModelThreadData } from './protocol.ts'
export { modelsInPlace, modelThread } from './thread.ts'
