// Renders a template with a document or a search: loads the template, then the input, then renders
// in a thread. Faults are reported in the order template, its syntax, input, rendering.

import {
  type Engine,
  EngineFault,
  featureRefusal,
  type SearchableRanks,
  type TemplateInput,
  type TemplateOutcome,
  textPaths,
} from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError, type ErrorCode } from '../errors/index.ts'
import { invalidKey, route } from '../http/index.ts'
import type { Caller, Route } from '../http/messages/index.ts'
import type { InputRequest, TemplateRequest } from '../parse/index.ts'
import { checkFeature, okReply, type RouteOptions } from './context/index.ts'

const RULES = {
  permits: 'settings.get',
  body: jsonBody('render'),
  query: null,
  precheck: ({ caller }: { readonly caller: Caller }): null => {
    if (!caller.may('documents.get')) throw invalidKey()
    return null
  },
} as const

export const renderRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route(
    'POST',
    '/render-template',
    RULES,
    async ({ body: { template, input }, caller, context: { signal } }) => {
      checkFeature(
        engine.administration.features,
        'renderRoute',
        'calling the /render-template route',
      )
      const { source, isFragment } = fetchTemplate(engine, template, caller)
      let fetched: TemplateInput | null
      try {
        fetched = input === null ? null : await fetchInput(engine, input, caller, isFragment)
      } catch (error) {
        // Faults of the input are reported after those of the template.
        await run(engine, { source, isFragment, input: null }, signal)
        throw error
      }
      return okReply(await run(engine, { source, isFragment, input: fetched }, signal))
    },
  ),
]

type Fetched = {
  /** A string, or any JSON for a fragment. */
  readonly source: unknown
  readonly isFragment: boolean
}

/** Parameter → whether a kind of template needs it, and its name in messages. */
type Need = 'required' | 'allowed' | 'none'
type Needs = readonly (readonly [name: string, shown: string, value: unknown, need: Need])[]

function checkParameters(kind: string, needs: Needs, code: ErrorCode, prefix: string): void {
  for (const [, shown, value, need] of needs) {
    const isThere = value !== null
    if (isThere && need === 'none') {
      throw new ApiError(code, `${prefix}parameter \`${shown}\` disallowed for kind \`${kind}\``)
    }
    if (!isThere && need === 'required') {
      throw new ApiError(code, `${prefix}parameter \`${shown}\` missing for kind \`${kind}\``)
    }
  }
}

const TEMPLATE = 'error while fetching template: '
const INPUT = 'error while fetching input: '

const badTemplate = (words: string): ApiError =>
  new ApiError('invalid_render_template', TEMPLATE + words)
const badInput = (words: string): ApiError => new ApiError('invalid_render_input', INPUT + words)
const rendering = (words: string): ApiError =>
  new ApiError('template_rendering_error', `error while rendering template: ${words}`)

function fetchTemplate(engine: Engine, request: TemplateRequest, caller: Caller): Fetched {
  checkTemplate(engine, request)
  const source = sourceOf(engine, request, caller)
  const isFragment = /fragment$/i.test(request.kind)
  if (!isFragment && typeof source !== 'string') {
    throw badTemplate('inline document templates must be strings')
  }
  return { source, isFragment }
}

function checkTemplate({ administration: { features } }: Engine, request: TemplateRequest): void {
  const { kind } = request
  const gate = (feature: 'chatCompletions' | 'multimodal', action: string): void => {
    if (features[feature]) return
    throw new ApiError('feature_not_enabled', TEMPLATE + featureRefusal(feature, action))
  }
  if (kind === 'chatDocumentTemplate') gate('chatCompletions', 'accessing chat settings')
  if (kind === 'inlineFragment') gate('multimodal', 'rendering an inline fragment')
  const isStored = kind === 'indexingFragment' || kind === 'searchFragment'
  if (isStored) gate('multimodal', 'accessing fragments')
  const isInline = kind === 'inlineDocumentTemplate' || kind === 'inlineFragment'
  const isText = !isStored && kind !== 'inlineFragment'
  const ofEmbedder = isStored || kind === 'documentTemplate' ? 'required' : 'none'
  const { indexUid, embedder, fragment, inline, documentTemplateMaxBytes } = request
  const needs: Needs = [
    ['indexUid', 'index_uid', indexUid, isInline ? 'none' : 'required'],
    ['embedder', 'embedder', embedder, ofEmbedder],
    ['fragment', 'fragment', fragment, isStored ? 'required' : 'none'],
    ['inline', 'inline', inline, isInline ? 'required' : 'none'],
    [
      ...(['documentTemplateMaxBytes', 'document_template_max_bytes'] as const),
      documentTemplateMaxBytes,
      isText ? 'allowed' : 'none',
    ],
  ]
  checkParameters(kind, needs, 'invalid_render_template', TEMPLATE)
}

type Members = { readonly [name: string]: unknown }

/** Returns the string or JSON of a template whose parameters are valid. */
function sourceOf(engine: Engine, request: TemplateRequest, caller: Caller): unknown {
  const { kind, indexUid, embedder, fragment, inline } = request
  if (indexUid === null) return inline
  const settings = settingsOf(engine, indexUid, caller, `${TEMPLATE}cannot open index`)
  if (kind === 'chatDocumentTemplate') return (settings['chat'] as Members)['documentTemplate']
  const embedders = settings['embedders'] as { readonly [name: string]: Members }
  const place = `embedder \`${embedder}\` in index \`${indexUid}\``
  const known = Object.hasOwn(embedders, embedder!) ? embedders[embedder!]! : null
  if (known === null) throw badTemplate(`cannot find ${place}`)
  if (kind === 'documentTemplate') {
    const text = known['documentTemplate']
    if (typeof text === 'string') return text
    throw badTemplate(`${place} does not use a document template.`)
  }
  const isIndexing = kind === 'indexingFragment'
  const fragments = known[isIndexing ? 'indexingFragments' : 'searchFragments']
  if (typeof fragments !== 'object' || fragments === null) {
    throw badTemplate(`${place} does not use fragments.`)
  }
  const one = Object.hasOwn(fragments, fragment!) ? (fragments as Members)[fragment!] : null
  if (one === null || one === undefined) {
    const words = `cannot find ${isIndexing ? 'indexing' : 'search'} fragment \`${fragment}\``
    throw badTemplate(`${words} for ${place}`)
  }
  return (one as Members)['value']
}

/** `words`: the beginning of the message for a missing index. */
function settingsOf(engine: Engine, uid: IndexUid, caller: Caller, words: string): Members {
  if (caller.visible !== null && !caller.visible(uid)) throw invalidKey()
  try {
    return engine.documents.settings(uid)
  } catch (error) {
    if (!(error instanceof EngineFault) || error.code !== 'index_not_found') throw error
    throw new ApiError('index_not_found', `${words} \`${uid}\`: ${error.message}`)
  }
}

async function fetchInput(
  engine: Engine,
  request: InputRequest,
  caller: Caller,
  isFragment: boolean,
): Promise<TemplateInput> {
  const { kind, indexUid, id, inline } = request
  if (kind === 'inlineSearch' && !engine.administration.features.multimodal) {
    const words = featureRefusal('multimodal', 'rendering search')
    throw new ApiError('feature_not_enabled', INPUT + words)
  }
  const isStored = kind === 'indexDocument'
  const needs: Needs = [
    ['indexUid', 'indexUid', indexUid, isStored ? 'required' : 'none'],
    ['id', 'id', id, isStored ? 'required' : 'none'],
    ['inline', 'inline', inline, isStored ? 'none' : 'required'],
  ]
  checkParameters(kind, needs, 'invalid_render_input', INPUT)
  if (kind === 'inlineSearch') {
    const scope = searchScope(inline)
    if (!isFragment) throw rendering('cannot render a document template with a search query')
    return { kind: 'search', scope }
  }
  if (!isStored) return { kind: 'document', doc: mapOf(inline) }
  const settings = settingsOf(engine, indexUid!, caller, 'Cannot open index')
  const searchable = (settings['searchableAttributes'] as SearchableRanks).flat()
  return { kind: 'stored', json: await storedDocument(engine, indexUid!, id!), searchable }
}

async function storedDocument(engine: Engine, uid: IndexUid, id: string): Promise<Uint8Array> {
  try {
    return await engine.documents.get(uid, id, null, false)
  } catch (error) {
    if (!(error instanceof EngineFault) || error.code !== 'document_not_found') throw error
    const words = `${INPUT}document \`${id}\` not found in \`${uid}\``
    throw new ApiError('render_document_not_found', words)
  }
}

function mapOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  const text = JSON.stringify(value)
  const found = Array.isArray(value)
    ? 'sequence, expected a map at line 1 column 0'
    : `${typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'number'} ` +
      `${typeof value === 'string' ? text : `\`${text}\``}, expected a map at line 1 column ${text.length}`
  const note = '\n  - Note: the inline document must be a JSON map'
  throw badInput(`parsing inline document: invalid type: ${found}${note}`)
}

function searchScope(value: unknown): Members {
  const { q, media } = mapOf(value)
  if (q !== undefined && q !== null && typeof q !== 'string') throw badInput('`q` is not a string')
  return {
    ...(typeof q === 'string' ? { q } : {}),
    ...(media === undefined ? {} : { media }),
  }
}

/** Returns the body of the answer. @throws ApiError for faults of the template */
async function run(
  engine: Engine,
  { isFragment, ...job }: Fetched & { readonly input: TemplateInput | null },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const outcome = await engine.templates.run(job, { signal })
  if (outcome.kind === 'fault') throw faultOf(outcome, job.source, isFragment)
  return outcome.json
}

type Fault = Extract<TemplateOutcome, { readonly kind: 'fault' }>

function faultOf({ during, words, at }: Fault, source: unknown, isFragment: boolean): ApiError {
  if (during === 'parsing') {
    const message = `${TEMPLATE}user error: cannot parse template: liquid: ${words}`
    return new ApiError('template_parsing_error', message)
  }
  if (!isFragment) return rendering(`user error: missing field in document: liquid: ${words}`)
  const path = at === null ? '' : ([...textPaths(source)][at] ?? '')
  const where = path === '' ? '' : `in \`\`${path}\`\`, `
  return rendering(`${where}error while rendering template: liquid: ${words}`)
}
