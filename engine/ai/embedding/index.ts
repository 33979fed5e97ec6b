// Which texts of a document does its embedder receive, and which vectors come back?
export {
  type EmbeddedInputs,
  type EmbeddingPort,
  EmbeddingRefusal,
  type InputEmbedder,
  ThreadEmbedder,
} from './channel.ts'
export { type DocumentInputs, InputMaker, sameInput } from './inputs.ts'
export { INPUTS_PER_MESSAGE, MESSAGE_BYTES_MAX } from './limits.ts'
export { QueryEmbedder } from './query.ts'
export { ReplayEmbedder } from './replay.ts'
export { EmbeddingSession, type FailureModes } from './session.ts'
