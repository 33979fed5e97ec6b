// The vectors of documents: sent by the client, taken from the stored document, or computed.
export type { VectorCounts } from './chunk-vectors.ts'
export { DocumentVectors } from './document-vectors.ts'
export { EmbeddingMaker } from './embedding-maker.ts'
export { FragmentFinder } from './fragment-finder.ts'
export type { GivenVectors } from './given-vectors.ts'
export { liveDocuments } from './stored-records.ts'
export { type MakerContext, NO_VECTOR_MAKER, type VectorMaker } from './vector-maker.ts'
export { VectorsMove } from './vectors-move.ts'
