// The setting `embedders`: sources, fields, checks, merging, display.
export { embedders } from './embedders.ts'
export { HUGGING_FACE_MODEL_DEFAULT, OPENAI_MODEL_DEFAULT, OPENAI_MODELS } from './fields.table.ts'
export { headerNameProblem, headerValueProblem } from './header-rules.ts'
export { changesVectors, indexingSide, vectorInputsOf } from './making.ts'
export { effectiveEmbedder } from './merge.ts'
export { type EmbedderSpec, embedderSpecs } from './spec.ts'
export {
  type Distribution,
  EMBEDDER_SOURCES,
  type Embedder,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
  type Embedders,
  type FragmentPatches,
  type NestedEmbedder,
  type NestedEmbedderPatch,
  POOLINGS,
} from './types.ts'
