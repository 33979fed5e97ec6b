// Merges a change of embedders into the stored ones, and fills in the defaults of their sources.
import { compareText } from '../../../format/bytes/index.ts'
import { EngineFault } from '../../model/index.ts'
import { DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT, DOCUMENT_TEMPLATE_DEFAULT } from '../values/index.ts'
import { checkEmbedder, inFieldOrder, refuseField } from './checks.ts'
import {
  EMBEDDERS_MAX,
  FIELD_MARKS,
  FRAGMENTS_MAX,
  HUGGING_FACE_MODEL_DEFAULT,
  isPartOfComposite,
  OPENAI_MODEL_DEFAULT,
} from './fields.table.ts'
import type {
  Embedder,
  EmbedderPatch,
  EmbedderPatches,
  EmbedderSource,
  Embedders,
  NestedEmbedder,
  NestedEmbedderPatch,
} from './types.ts'

type Members = { readonly [member: string]: unknown }

/**
 * Returns the stored embedders with a change applied: null removes one, members merge, another
 * `source` starts from the defaults of that source. @throws EngineFault if an embedder would be
 * invalid
 */
export function mergeEmbedders(stored: Embedders, patches: EmbedderPatches): Embedders {
  const merged = new Map(Object.entries(stored))
  for (const name of Object.keys(patches).sort(compareText)) {
    const patch = patches[name]
    if (patch === null) merged.delete(name)
    else if (patch !== undefined) merged.set(name, mergeEmbedder(name, merged.get(name), patch))
  }
  if (merged.size > EMBEDDERS_MAX) {
    throw new EngineFault(
      'invalid_settings_embedders',
      `Too many embedders in the configuration. Found ${merged.size}, ` +
        `but limited to ${EMBEDDERS_MAX}.`,
    )
  }
  return Object.fromEntries([...merged].sort(([a], [b]) => compareText(a, b)))
}

const mergeEmbedder = (
  name: string,
  stored: Embedder | undefined,
  patch: EmbedderPatch,
): Embedder => {
  const source = sourceOf(stored, patch)
  const base: Members = stored === undefined ? {} : baseOf(stored, source)
  if (stored?.binaryQuantized === true && patch.binaryQuantized !== undefined) {
    if (patch.binaryQuantized !== true) refuseUnquantizing(name)
  }
  refuseRestSide(name, stored, patch)
  const merged = { ...(mergeMembers(base, patch) as Omit<Embedder, 'source'>), source }
  checkEmbedder(name, merged, patch)
  return inFieldOrder(merged)
}

/**
 * Returns the source after a change: null resets to `huggingFace`, while absence means `openAi` for
 * a new embedder.
 */
const sourceOf = (stored: Embedder | undefined, patch: EmbedderPatch): EmbedderSource => {
  if (patch.source === undefined) return stored?.source ?? 'openAi'
  return patch.source ?? 'huggingFace'
}

/** Members that identify a model and how it is called: dropped when the source changes. */
const OF_ONE_SOURCE: ReadonlySet<string> = new Set<keyof Embedder>([
  'model',
  'revision',
  'pooling',
  'dimensions',
  'url',
  'indexingFragments',
  'searchFragments',
  'request',
  'response',
  'headers',
])
const TEMPLATE_MEMBERS = ['documentTemplate', 'documentTemplateMaxBytes'] as const

/**
 * Returns the embedder to which a change is applied. Another source keeps the key, the template,
 * the distribution, the quantization and the sides of a composite one; members that the new source
 * does not allow are refused later, as recorded, except for the template.
 */
function baseOf(stored: Embedder, source: EmbedderSource): Members {
  if (stored.source === source) return stored
  const retained = new Map(Object.entries(stored).filter(([member]) => !OF_ONE_SOURCE.has(member)))
  for (const member of TEMPLATE_MEMBERS) {
    if (FIELD_MARKS[member][source] === '-') retained.delete(member)
  }
  return Object.fromEntries(retained)
}

const refuseUnquantizing = (name: string): never => {
  throw new EngineFault(
    'invalid_settings_embedders',
    `\`.embedders.${name}.binaryQuantized\`: Cannot disable the binary quantization.\n` +
      ' - Note: Binary quantization is a lossy operation that cannot be reverted.\n' +
      ' - Hint: Add a new embedder that is non-quantized and regenerate the vectors.',
  )
}

const FRAGMENTS = new Set(['indexingFragments', 'searchFragments'])

const mergeMembers = (base: Members, patch: Members): Members => {
  const merged = new Map(Object.entries(base))
  for (const [member, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) merged.delete(member)
    else if (FRAGMENTS.has(member)) setFragments(merged, member, value as Members)
    else if (isPartOfComposite(member)) {
      const nested = merged.get(member) as NestedEmbedder | undefined
      merged.set(member, mergeNested(nested, value as NestedEmbedderPatch))
    } else merged.set(member, value)
  }
  return Object.fromEntries(merged)
}

const mergeNested = (
  stored: NestedEmbedder | undefined,
  patch: NestedEmbedderPatch,
): NestedEmbedder => {
  const changed = patch.source !== undefined && patch.source !== stored?.source
  return inFieldOrder(mergeMembers(changed ? {} : (stored ?? {}), patch))
}

/**
 * Refuses to change the indexing side of a composite embedder to a rest one: recorded. @throws
 * EngineFault
 */
function refuseRestSide(name: string, stored: Embedder | undefined, patch: EmbedderPatch): void {
  const was = stored?.indexingEmbedder?.source
  if (was === undefined || was === 'rest' || patch.indexingEmbedder?.source !== 'rest') return
  refuseField(name, 'searchFragments', 'rest', 'indexingEmbedder')
}

/**
 * Merges fragments by name. New indexing fragments are added after the existing ones, ordered by
 * name: the vectors of a document have this order. If no fragment is left, the member is removed.
 */
const setFragments = (merged: Map<string, unknown>, member: string, patch: Members): void => {
  const fragments = new Map(Object.entries((merged.get(member) ?? {}) as Members))
  for (const name of Object.keys(patch).sort(compareText)) {
    const fragment = patch[name]
    if (fragment === null) fragments.delete(name)
    else fragments.set(name, fragment)
  }
  if (fragments.size > FRAGMENTS_MAX) {
    throw new EngineFault(
      'invalid_settings_embedders',
      `Too many fragments in the configuration. Found ${fragments.size}, ` +
        `but limited to ${FRAGMENTS_MAX}.`,
    )
  }
  if (fragments.size === 0) merged.delete(member)
  else merged.set(member, Object.fromEntries(inOrder(member, [...fragments])))
}

/** Orders fragments: search fragments have no vectors, so they are sorted by name. */
const inOrder = (
  member: string,
  fragments: readonly [string, unknown][],
): readonly [string, unknown][] =>
  member === 'searchFragments' ? fragments.toSorted(([a], [b]) => compareText(a, b)) : fragments

/** Returns an embedder with the defaults of its source filled in. */
export function effectiveEmbedder<E extends NestedEmbedder>(embedder: E): E {
  const source = embedder.source ?? 'openAi'
  const defaults: { [member: string]: unknown } = {}
  if (source === 'openAi') defaults['model'] = OPENAI_MODEL_DEFAULT
  if (source === 'huggingFace') {
    defaults['model'] = HUGGING_FACE_MODEL_DEFAULT
    defaults['pooling'] = 'useModel'
  }
  if (FIELD_MARKS.documentTemplate[source] !== '-' && embedder.indexingFragments === undefined) {
    defaults['documentTemplate'] = DOCUMENT_TEMPLATE_DEFAULT
    defaults['documentTemplateMaxBytes'] = DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT
  }
  if (source === 'rest') defaults['headers'] = {}
  return inFieldOrder({ ...defaults, ...embedder })
}

/**
 * Returns an embedder with the defaults of its source, and of the embedders inside it, filled in.
 */
export function shownEmbedder(embedder: Embedder): Embedder {
  const { searchEmbedder, indexingEmbedder } = embedder
  return {
    ...shownSide(embedder),
    ...(searchEmbedder === undefined
      ? {}
      : { searchEmbedder: withoutTemplate(effectiveEmbedder(searchEmbedder)) }),
    ...(indexingEmbedder === undefined ? {} : { indexingEmbedder: shownSide(indexingEmbedder) }),
  }
}

/** Fragments replace the template, which is then not shown. */
function shownSide<E extends NestedEmbedder>(embedder: E): E {
  const shown = effectiveEmbedder(embedder)
  return embedder.indexingFragments === undefined ? shown : withoutTemplate(shown)
}

const withoutTemplate = <E extends NestedEmbedder>({
  documentTemplate: _,
  documentTemplateMaxBytes: __,
  ...shown
}: E): E => shown as E
