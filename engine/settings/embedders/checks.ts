// Validation of embedders. The same rules run twice: on the request when it arrives, and on the
// whole embedder when the task merges the request into the stored one.

import { compareText } from '../../../format/bytes/index.ts'
import { quotedNames } from '../../../format/errors.ts'
import { DIMENSIONS_MAX } from '../../../format/vectors/index.ts'
import { EngineFault } from '../../model/index.ts'
import {
  EMBEDDER_FIELDS,
  EMBEDDER_PARTS,
  type EmbedderPart,
  FIELD_MARKS,
  NESTED_REFUSED,
  OPENAI_MODEL_DEFAULT,
  OPENAI_MODELS,
} from './fields.table.ts'
import { headerNameProblem, headerValueProblem } from './header-rules.ts'
import { restTemplateProblem } from './templates.ts'
import {
  EMBEDDER_SOURCES,
  type EmbedderField,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
  type NestedEmbedderPatch,
} from './types.ts'

const PART_WORDS: { readonly [P in EmbedderPart]: string } = {
  searchEmbedder: ' for the search embedder',
  indexingEmbedder: ' for the indexing embedder',
}
const FIELDS = Object.keys(FIELD_MARKS) as readonly EmbedderField[]

/** Checks a request without the stored embedders. @throws EngineFault */
export function checkEmbedderPatches(patches: EmbedderPatches): void {
  for (const name of Object.keys(patches).sort(compareText)) {
    const patch = patches[name]
    if (patch === null || patch === undefined) continue
    checkTemplates(patch, 'request')
    checkValues(name, patch)
    // Stored ones are not checked again: dumps of older releases hold them.
    checkHeaders(pathOf(name), patch)
    for (const part of EMBEDDER_PARTS) checkHeaders(`${pathOf(name)}.${part}`, patch[part] ?? {})
    if (patch.source === undefined || patch.source === null) continue
    checkFields(name, patch, patch.source, null)
    checkNested(name, patch)
    checkModel(name, patch, patch.source, patch.model)
  }
}

/**
 * Checks a whole embedder before it is stored. `given`: the members that the change names. @throws
 * EngineFault
 */
export function checkEmbedder(
  name: string,
  whole: EmbedderPatch & { readonly source: EmbedderSource },
  given: EmbedderPatch,
): void {
  requireSearchSource(name, given)
  checkFields(name, { ...given, ...whole }, whole.source, null)
  checkNested(name, whole)
  checkValues(name, whole)
  if (whole.documentTemplateMaxBytes === 0) {
    const field = 'documentTemplateMaxBytes'
    refuse(`${pathOf(name)}.${field}`, `\`${field}\` cannot be zero`)
  }
  checkModel(name, whole, whole.source, whole.model ?? OPENAI_MODEL_DEFAULT)
  checkFragments(whole)
  if (whole.source === 'rest') checkTemplates(whole, 'task')
}

/** Checks that a change of the search side names its source; the indexing side need not. */
function requireSearchSource(name: string, { searchEmbedder }: EmbedderPatch): void {
  if (searchEmbedder && searchEmbedder.source == null) refuseSourceless(name, 'searchEmbedder')
}

function refuseSourceless(name: string, part: EmbedderPart): never {
  const note = 'this field is mandatory for nested embedders'
  return refuse(`${pathOf(name)}.${part}`, `Missing field \`source\`.\n  - note: ${note}`)
}

const pathOf = (name: string): string => `.embedders.${name}`

function refuse(path: string, text: string): never {
  throw new EngineFault('invalid_settings_embedders', `\`${path}\`: ${text}`)
}

function refuseUse(text: string): never {
  throw new EngineFault(
    'vector_embedding_error',
    `Error while generating embeddings: user error: ${text}`,
  )
}

const isGiven = (patch: NestedEmbedderPatch, field: EmbedderField): boolean =>
  (patch as { readonly [field: string]: unknown })[field] !== undefined

const isMissing = (patch: NestedEmbedderPatch, field: EmbedderField): boolean =>
  !isGiven(patch, field) || (patch as { readonly [field: string]: unknown })[field] === null

/**
 * Checks that no member is unavailable for the source and no mandatory one is missing. `part`: the
 * side, inside a composite embedder.
 */
const checkFields = (
  name: string,
  patch: NestedEmbedderPatch,
  source: EmbedderSource,
  part: EmbedderPart | null,
): void => {
  for (const field of FIELDS) {
    if (!isAvailable(field, source, part)) {
      if (isGiven(patch, field)) refuseField(name, field, source, part)
    } else if (FIELD_MARKS[field][source] === 'M' && isMissing(patch, field)) {
      const note = `(note: this field is mandatory for source \`${source}\`)`
      refuse(pathOf(name), `Missing field \`${field}\` ${note}`)
    }
  }
}

const isAvailable = (
  field: EmbedderField,
  source: EmbedderSource,
  part: EmbedderPart | null,
): boolean =>
  FIELD_MARKS[field][source] !== '-' &&
  (part === null || !(NESTED_REFUSED[part] as readonly string[]).includes(field))

const isNestable = (source: EmbedderSource): boolean =>
  source !== 'userProvided' && source !== 'composite'

export const refuseField = (
  name: string,
  field: EmbedderField,
  source: EmbedderSource,
  part: EmbedderPart | null,
): never => {
  const place = part === null ? pathOf(name) : `${pathOf(name)}.${part}`
  const where = part === null ? '' : PART_WORDS[part]
  const sources = EMBEDDER_SOURCES.filter(
    (other) => isAvailable(field, other, part) && (part === null || isNestable(other)),
  )
  const fields = FIELDS.filter((other) => isAvailable(other, source, part))
  let text = `Field \`${field}\` unavailable for source \`${source}\`${where}.`
  if (sources.length > 0) {
    text += `\n  - note: \`${field}\` is available for sources: ${quotedNames(sources)}`
  }
  text += `\n  - note: available fields for source \`${source}\`${where}: ${quotedNames(fields)}`
  if (part !== null && isAvailable(field, source, null)) {
    text += `\n  - note: \`${field}\` is available when source \`${source}\` is not${where}`
  }
  return refuse(place, text)
}

const checkNested = (name: string, patch: EmbedderPatch): void => {
  for (const part of EMBEDDER_PARTS) {
    const nested = patch[part]
    if (nested === null || nested === undefined) continue
    const path = `${pathOf(name)}.${part}`
    const source = nested.source
    if (source === null || source === undefined) refuseSourceless(name, part)
    if (!isNestable(source)) {
      refuse(`${path}.source`, `Source \`${source}\` is not available in a nested embedder`)
    }
    checkFields(name, nested, source, part)
  }
}

const checkValues = (name: string, patch: NestedEmbedderPatch): void => {
  const path = pathOf(name)
  if (patch.dimensions === 0) refuse(`${path}.dimensions`, '`dimensions` cannot be zero')
  if ((patch.dimensions ?? 0) > DIMENSIONS_MAX) {
    refuse(`${path}.dimensions`, `\`dimensions\` cannot be greater than ${DIMENSIONS_MAX}`)
  }
  if (typeof patch.url === 'string') {
    const reason = urlProblem(patch.url)
    if (reason !== null) refuse(`${path}.url`, `could not parse \`${patch.url}\`: ${reason}`)
  }
}

/** Messages do not quote values, which may be secrets. */
const checkHeaders = (path: string, { apiKey, headers }: NestedEmbedderPatch): void => {
  const problem = headerValueProblem(apiKey ?? '')
  if (problem !== null) refuse(`${path}.apiKey`, `the text ${problem}`)
  for (const [header, value] of Object.entries(headers ?? {})) {
    const place = `${path}.headers.${header}`
    const nameProblem = headerNameProblem(header)
    if (nameProblem !== null) refuse(place, `a header of this name ${nameProblem}`)
    const valueProblem = headerValueProblem(value)
    if (valueProblem !== null) refuse(place, `the text ${valueProblem}`)
  }
}

/** Returns why a text is not an absolute URL, or null. */
function urlProblem(url: string): string | null {
  if (URL.canParse(url)) return null
  const scheme = /^[a-z][a-z0-9+.-]*:(\/\/)?/i.exec(url.trim())
  if (scheme === null) return 'relative URL without a base'
  const host = url.slice(scheme[0].length)
  if (host === '' || /^[/?#:]/.test(host)) return 'empty host'
  if (/^[^/?#]*:[^/?#\]]*(?:[/?#]|$)/.test(host)) return 'invalid port number'
  return 'invalid international domain name'
}

const checkModel = (
  name: string,
  patch: NestedEmbedderPatch,
  source: EmbedderSource,
  model: string | null | undefined,
): void => {
  if (source !== 'openAi' || model === null || model === undefined) return
  const path = pathOf(name)
  const known = OPENAI_MODELS[model]
  if (known === undefined) {
    const list = JSON.stringify(Object.keys(OPENAI_MODELS)).replaceAll(',', ', ')
    refuse(`${path}.model`, `Invalid model \`${model}\` for OpenAI. Supported models: ${list}`)
    return
  }
  const wanted = patch.dimensions
  if (wanted === null || wanted === undefined) return
  if (!known.fewer && wanted !== known.dimensions) {
    const native = `does not support overriding its native dimensions of ${known.dimensions}`
    refuse(`${path}.dimensions`, `Model \`${model}\` ${native}. Found ${wanted}`)
  }
  if (wanted > known.dimensions) {
    const high = 'does not support overriding its dimensions to a value higher than'
    refuse(`${path}.dimensions`, `Model \`${model}\` ${high} ${known.dimensions}. Found ${wanted}`)
  }
}

const checkFragments = (whole: EmbedderPatch): void => {
  const indexing = Object.keys(whole.indexingFragments ?? {}).sort(compareText)
  const search = Object.keys(whole.searchFragments ?? {}).sort(compareText)
  if (indexing.length === 0 && search.length > 0) {
    refuseUse(inconsistent('indexingFragments', 'searchFragments', search))
  }
  if (search.length === 0 && indexing.length > 0) {
    refuseUse(inconsistent('searchFragments', 'indexingFragments', indexing))
  }
}

const inconsistent = (empty: string, full: string, names: readonly string[]): string =>
  `inconsistent fragments: \`${empty}\` is empty, but \`${full}\` declares ` +
  `${names.length} fragments: ${names.join(', ')}\n` +
  // The recorded texts differ in their indentation.
  `${empty === 'indexingFragments' ? '  ' : ' '}- Hint: declare at least one fragment in ` +
  `\`${empty}\` or remove fragments from \`${full}\` by setting them to \`null\``

/**
 * Checks the templates of a rest embedder. At the request the stored fragments are unknown; in the
 * task everything is known.
 */
const checkTemplates = (patch: EmbedderPatch, when: 'request' | 'task'): void => {
  if (patch.request === undefined || patch.request === null) return
  const indexing = fragmentCount(patch.indexingFragments)
  const search = fragmentCount(patch.searchFragments)
  const fragments = indexing + search > 0
  if (when === 'request' && fragments && typeof patch.documentTemplate === 'string') {
    refuseUse(
      'cannot pass both fragments and a document template.\n' +
        `  - Note: ${indexing} fragments declared in \`indexingFragments\` and ` +
        `${search} fragments ` +
        'declared in `search_fragments_len`.\n' +
        '  - Hint: remove the declared fragments or remove the `documentTemplate`',
    )
  }
  const use = fragments ? 'fragments' : when === 'task' ? 'document' : 'unknown'
  const problem = restTemplateProblem(patch.request, patch.response ?? undefined, use)
  if (problem !== null) refuseUse(problem)
}

const fragmentCount = (fragments: EmbedderPatch['indexingFragments']): number =>
  Object.values(fragments ?? {}).filter((fragment) => fragment !== null).length

/** Returns the embedder with its members in display order, without undefined ones. */
export function inFieldOrder<T extends object>(embedder: T): T {
  const members = embedder as { readonly [field: string]: unknown }
  const ordered: [string, unknown][] = []
  for (const field of EMBEDDER_FIELDS) {
    const value = members[field]
    if (value !== undefined) ordered.push([field, value])
  }
  return Object.fromEntries(ordered) as T
}
