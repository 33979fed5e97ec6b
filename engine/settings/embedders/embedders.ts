// The models that compute vectors of documents and queries, by name. `fields.table.ts`
// says which members fit which source.
import {
  anything,
  count,
  flag,
  isObject,
  type MemberSchemas,
  mapOf,
  number,
  object,
  objectWith,
  oneOf,
  part,
  type Schema,
  text,
} from '../../../format/schema/index.ts'
import { type FeatureNeed, setting } from '../schema/index.ts'
import { checkEmbedderPatches } from './checks.ts'
import { EMBEDDER_PARTS } from './fields.table.ts'
import { mergeEmbedders } from './merge.ts'
import { renderEmbedderPatches, renderEmbedders } from './render.ts'
import {
  type Distribution,
  EMBEDDER_SOURCES,
  type Embedder,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
  type Embedders,
  type NestedEmbedder,
  POOLINGS,
} from './types.ts'

const fragments: Schema<NonNullable<NestedEmbedder['indexingFragments']>> = mapOf(
  object<{ readonly value: unknown }>({ value: anything }),
)
const source: Schema<EmbedderSource> = oneOf(EMBEDDER_SOURCES)
const members: MemberSchemas<Omit<NestedEmbedder, 'source'>> = {
  model: text,
  revision: text,
  pooling: oneOf(POOLINGS),
  apiKey: text,
  dimensions: count,
  binaryQuantized: flag,
  documentTemplate: text,
  documentTemplateMaxBytes: count,
  url: text,
  indexingFragments: fragments,
  searchFragments: fragments,
  request: anything,
  response: anything,
  headers: mapOf(text),
  distribution: object<Distribution>({ mean: number, sigma: number }),
}
const nested: Schema<NestedEmbedder> = part<NestedEmbedder>({ source, ...members })
const embedder = objectWith<Embedder>(
  { source },
  { ...members, searchEmbedder: nested, indexingEmbedder: nested },
)

export const embedders = setting<Embedders, EmbedderPatches>()({
  code: 'invalid_settings_embedders',
  advice: 'each source accepts other members; the message names those that fit.',
  change: 'members',
  default: {},
  stored: mapOf(embedder),
  merge: mergeEmbedders,
  check: checkEmbedderPatches,
  needs: (patches) =>
    Object.values(patches).flatMap((patch) => (patch === null ? [] : needsOf(patch))),
  render: renderEmbedders,
  transfer: (embedders) => embedders,
  renderPatch: (patches) => (patches ? renderEmbedderPatches(patches) : null),
  // Each embedder counts as a separate setting.
  joinDetails: (before, after) =>
    isObject(before) && isObject(after) ? { ...before, ...after } : after,
  isExportedOnlyWhenSet: true,
})

function needsOf(patch: EmbedderPatch): readonly FeatureNeed[] {
  const needs: FeatureNeed[] = []
  const isSet = (value: unknown): boolean => value !== undefined && value !== null
  if (patch.source === 'composite') {
    needs.push(['compositeEmbedders', 'using `"composite"` as source'])
  }
  for (const part of EMBEDDER_PARTS) {
    if (isSet(patch[part])) needs.push(['compositeEmbedders', `setting \`${part}\``])
  }
  const { searchEmbedder, indexingEmbedder } = patch
  // Inside a composite embedder each side has its own kind of fragments; others are refused.
  const fragments = [
    ['indexingFragments', [patch.indexingFragments, indexingEmbedder?.indexingFragments]],
    ['searchFragments', [patch.searchFragments, searchEmbedder?.searchFragments]],
  ] as const
  for (const [name, given] of fragments) {
    if (given.some(isSet)) needs.push(['multimodal', `setting \`${name}\``])
  }
  return needs
}
