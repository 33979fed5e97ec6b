// The parameters of the rule `bm25`.
import { number, object } from '../../../format/schema/index.ts'
import { mergeMember, type Partly, setting } from '../schema/index.ts'

export type Similarity = {
  /** The frequency at which a word counts half of its most. */
  readonly k1: number
  /** How far long texts are discounted: 0 not at all, 1 in proportion to their length. */
  readonly b: number
}
export type SimilarityPatch = Partly<Similarity>

/** Beyond, frequencies of any text count in proportion, which 1,000 says as well. */
export const SIMILARITY_K1_MAX = 1000

const DEFAULT: Similarity = { k1: 1.2, b: 0.75 }

export const similarity = setting<Similarity, SimilarityPatch>()({
  code: 'invalid_settings_similarity',
  advice: `send an object; \`k1\` is from 0 to ${SIMILARITY_K1_MAX}, \`b\` from 0 to 1.`,
  change: 'members',
  default: DEFAULT,
  stored: object<Similarity>({ k1: number, b: number }),
  merge: (current, { k1, b }) => ({
    k1: mergeMember(k1, current.k1, DEFAULT.k1),
    b: mergeMember(b, current.b, DEFAULT.b),
  }),
  isLeftOutUnlessSet: true,
})
