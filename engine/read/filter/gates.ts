// Refuses forms of filters whose experimental feature is off, and forms that an endpoint does not
// accept.

import { EngineFault, type Features } from '../../model/index.ts'
import { featureRefusal } from '../../settings/schema/index.ts'
import {
  echo,
  type FilterTree,
  type FilterWording,
  type ForeignNode,
  faultAt,
  type LeafNode,
  leaves,
  named,
  type Token,
} from '../filter-syntax/index.ts'

/** The name of the special attribute for a document's shard. */
export const SHARD_FIELD = '_shard'

export type FilterGates = Pick<
  Features,
  'containsFilter' | 'foreignKeys' | 'multimodal' | 'network'
>

/** Refuses the first form, from left to right, that is not enabled here. @throws EngineFault */
export function refuseGated(
  tree: FilterTree,
  features: FilterGates,
  takesForeign: boolean,
  wording: FilterWording,
): void {
  for (const leaf of leaves(tree)) {
    const gate = gateOf(leaf)
    if (gate !== null && !features[gate.feature]) {
      const { source, from, to } = leaf.kind === 'foreign' ? within(leaf) : gate.token
      const sentence = `${featureRefusal(gate.feature, gate.action)}\n${echo(source, from, to)}`
      throw new EngineFault('feature_not_enabled', named(wording.indexUid, sentence))
    }
    if (leaf.kind !== 'foreign') continue
    if (!takesForeign) {
      const { source, from, to } = within(leaf)
      const sentence = 'Filter condition `_foreign` is not supported for this endpoint.'
      throw faultAt(wording, sentence, source, from, to)
    }
    refuseGated(leaf.condition, features, takesForeign, wording)
  }
}

/** Returns the field of a `_foreign` condition with offsets in the text of that condition. */
function within({ whole, field }: ForeignNode): { source: string; from: number; to: number } {
  const source = field.source.slice(whole.from, whole.to)
  return { source, from: field.from - whole.from, to: field.to - whole.from }
}

type Gate = {
  readonly feature: keyof FilterGates
  readonly action: string
  readonly token: Token
}

function gateOf(leaf: LeafNode): Gate | null {
  switch (leaf.kind) {
    case 'contains': {
      const action = 'Using `CONTAINS` in a filter'
      return { feature: 'containsFilter', action, token: leaf.keyword }
    }
    case 'vectors':
      return { feature: 'multimodal', action: 'using a vector filter', token: leaf.keyword }
    case 'foreign':
      return { feature: 'foreignKeys', action: 'using a foreign filter', token: leaf.field }
    case 'geoRadius':
    case 'geoBox':
    case 'geoPolygon':
      return null
    default:
      return leaf.field.text === SHARD_FIELD
        ? { feature: 'network', action: 'using a shard filter', token: leaf.field }
        : null
  }
}
