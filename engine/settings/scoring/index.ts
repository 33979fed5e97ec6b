// The settings of scores: boosts, and the weights and parameters of the rule `bm25`.
export {
  ATTRIBUTE_WEIGHT_MAX,
  type AttributeWeights,
  attributeWeights,
  weightIn,
} from './attribute-weights.ts'
export { BOOSTS_MAX, boostProblem, boosts } from './boosts.ts'
export { SIMILARITY_K1_MAX, type SimilarityPatch, similarity } from './similarity.ts'
