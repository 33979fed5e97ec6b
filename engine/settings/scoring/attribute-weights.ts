// How much a word counts in each attribute, for the rule `bm25`.
import { mapOf, number } from '../../../format/schema/index.ts'
import { covers, replace, setting } from '../schema/index.ts'

/** By name of an attribute, or `*` for all others. */
export type AttributeWeights = { readonly [attribute: string]: number }

/** Beyond, sums of a few thousand words would lose the digits of attributes of weight 1. */
export const ATTRIBUTE_WEIGHT_MAX = 1000

export const attributeWeights = setting<AttributeWeights>()({
  code: 'invalid_settings_attribute_weights',
  advice: `send an object of attributes, or \`*\`, and their weights from 0 to ${ATTRIBUTE_WEIGHT_MAX}.`,
  change: 'whole',
  default: {},
  stored: mapOf(number),
  merge: replace,
  isLeftOutUnlessSet: true,
  fieldNames: (weights) => Object.keys(weights),
})

/**
 * Returns the weight of a field: of the longest name that is the field or an object around it, else
 * of `*`, else 1.
 */
export function weightIn(weights: AttributeWeights, field: string): number {
  let best = weights['*'] ?? 1
  let length = 0
  for (const [name, weight] of Object.entries(weights)) {
    if (name === '*' || name.length <= length || !covers(name, field)) continue
    best = weight
    length = name.length
  }
  return best
}
