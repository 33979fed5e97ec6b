// The models that make vectors of documents and queries, by name. What members each has, and which
// go with which source: `embedder-fields.table.ts`.
import { checkEmbedderPatches } from './embedder-checks.ts'
import { type EMBEDDER_FIELDS, EMBEDDER_PARTS } from './embedder-fields.table.ts'
import { mergeEmbedders } from './embedder-merge.ts'
import { renderEmbedderPatches, renderEmbedders } from './embedder-render.ts'
import {
  type Distribution,
  EMBEDDER_SOURCES,
  type Embedder,
  type EmbedderPatch,
  type EmbedderPatches,
  type Embedders,
  type NestedEmbedder,
  POOLINGS,
} from './embedder-types.ts'
import { type FeatureNeed, setting } from './setting.ts'
import {
  isAny,
  isCount,
  isFlag,
  isMapOf,
  isNumber,
  isObject,
  isObjectOf,
  isOneOf,
  isPartOf,
  isText,
  type StoredCheck,
} from './stored-checks.ts'

const areFragments = isMapOf(isObjectOf<{ readonly value: unknown }>({ value: isAny }))
const MEMBER_CHECKS: {
  readonly [F in (typeof EMBEDDER_FIELDS)[number]]: StoredCheck<NonNullable<Embedder[F]>>
} = {
  source: isOneOf(EMBEDDER_SOURCES),
  model: isText,
  revision: isText,
  pooling: isOneOf(POOLINGS),
  apiKey: isText,
  dimensions: isCount,
  binaryQuantized: isFlag,
  documentTemplate: isText,
  documentTemplateMaxBytes: isCount,
  url: isText,
  indexingFragments: areFragments,
  searchFragments: areFragments,
  request: isAny as StoredCheck<NonNullable<unknown>>,
  response: isAny as StoredCheck<NonNullable<unknown>>,
  headers: isMapOf(isText),
  searchEmbedder: isMembers,
  indexingEmbedder: isMembers,
  distribution: isObjectOf<Distribution>({ mean: isNumber, sigma: isNumber }),
}

function isMembers(value: unknown): value is NestedEmbedder {
  return isPartOf(MEMBER_CHECKS)(value)
}
const isEmbedder = (value: unknown): value is Embedder =>
  isMembers(value) && isObject(value) && value['source'] !== undefined

export const embedders = setting<Embedders, EmbedderPatches>()({
  code: 'invalid_settings_embedders',
  advice: 'each source knows its own members; the message says which fit.',
  change: 'members',
  default: {},
  isStored: isMapOf(isEmbedder),
  merge: mergeEmbedders,
  check: checkEmbedderPatches,
  needs: (patches) =>
    Object.values(patches).flatMap((patch) => (patch === null ? [] : needsOf(patch))),
  render: renderEmbedders,
  transfer: (embedders) => embedders,
  renderPatch: (patches) => (patches ? renderEmbedderPatches(patches) : null),
  // Embedders are settings of their own.
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
  for (const embedder of [patch, patch.searchEmbedder, patch.indexingEmbedder]) {
    for (const fragments of ['indexingFragments', 'searchFragments'] as const) {
      if (isSet(embedder?.[fragments])) needs.push(['multimodal', `setting \`${fragments}\``])
    }
  }
  return needs
}
