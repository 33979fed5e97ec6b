// The searches that a model may run on behalf of the caller: the indexes visible to the caller,
// with the filter of its token, and their description for the model.
import {
  type AnswerState,
  type ChatWorkspace,
  DEFAULT_SEARCH,
  EngineFault,
  type IndexSearch,
  parseRequiredFilter,
  promptsOf,
  type SearchableRanks,
  type SearchContext,
  type SearchRequest,
  type TemplateOutcome,
} from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { isObject } from '../../format/schema/index.ts'
import {
  type DescribedIndex,
  type SearchArguments,
  type SearchOutcome,
  type SearchTool,
  searchDefinition,
} from '../chat/index.ts'
import { ApiError, toApiError } from '../errors/index.ts'
import { memberOf, splitHits, splitResults, withoutMembers } from '../hits/index.ts'
import { invalidKey } from '../http/index.ts'
import type { Caller, RequestContext } from '../http/messages/index.ts'
import {
  DESCRIBED_INDEXES_MAX,
  DESCRIPTION_LENGTH_MAX,
  FACET_VALUES_MAX,
  FOUND_BYTES_MAX,
  questionStrategy,
  type RouteOptions,
  searchContext,
} from './context/index.ts'
import { requireNetwork, withCallersFilter } from './searches/index.ts'

type Options = Pick<RouteOptions, 'engine' | 'events' | 'instances'>
type Asking = {
  readonly caller: Caller
  readonly context: RequestContext
  readonly state: AnswerState | undefined
}

/**
 * Returns the search tool of one conversation; counts the facets of all indexes first. @throws
 * ApiError if the caller's filter is invalid
 */
export async function searchTool(
  options: Options,
  asking: Asking,
  workspace: ChatWorkspace,
): Promise<SearchTool> {
  const indexes = await describedIndexes(options, asking)
  return {
    definition: searchDefinition(promptsOf(workspace), indexes),
    search: (searchArguments, signal) => search(options, asking, searchArguments, signal),
  }
}

/** Sorted by name. */
async function describedIndexes(
  options: Options,
  asking: Asking,
): Promise<readonly DescribedIndex[]> {
  const { engine } = options
  const uids = engine.documents.listIndexes(asking.caller.visible).map(({ uid }) => uid)
  const described: DescribedIndex[] = []
  let left = DESCRIPTION_LENGTH_MAX
  for (const [at, uid] of uids.sort().entries()) {
    const index = await ifExists(async () => {
      const { description } = chatSettingsOf(options, uid)
      const isDescribed = at < DESCRIBED_INDEXES_MAX && left > 0
      const facets = isDescribed ? await facetsOf(options, asking, uid) : []
      return { uid, description, facets }
    })
    if (index === null) continue
    left -= JSON.stringify(index).length
    described.push(left > 0 ? index : { ...index, facets: [] })
  }
  return described
}

/** Returns null if the index was deleted in the meantime. */
async function ifExists<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineFault && error.code === 'index_not_found') return null
    throw error
  }
}

/** Returns values that the caller's own searches count, displayed or not. */
async function facetsOf(
  options: Options,
  asking: Asking,
  uid: IndexUid,
): Promise<DescribedIndex['facets']> {
  const { engine } = options
  if (!asking.caller.may('search')) return []
  const request: SearchRequest = {
    ...DEFAULT_SEARCH,
    limit: 0,
    facets: ['*'],
    facetValuesByCount: FACET_VALUES_MAX,
  }
  const narrowed = withCallersFilter(request, asking.caller, uid)
  const context = searchContext(asking, engine.administration.features, asking.state)
  const counted = await over(options, [{ indexUid: uid, request: narrowed }], context)
    .then(([only]) => only!)
    .catch(withoutFacets)
  const answer = counted === null ? null : memberOf(counted, 'facetDistribution')
  if (answer === null) return []
  const distribution = JSON.parse(Buffer.from(answer).toString()) as {
    readonly [field: string]: { readonly [value: string]: number }
  }
  return Object.entries(distribution).map(([field, values]) => [
    field,
    // Sorted again, because an object puts names that look like numbers first.
    Object.entries(values)
      .sort(([a, m], [b, n]) => n - m || compareDown(a, b))
      .map(([value]) => value),
  ])
}

/** Larger values first: numbers by value, strings by their characters. */
const compareDown = (a: string, b: string): number => {
  const [m, n] = [Number(a), Number(b)]
  if (!Number.isNaN(m) && !Number.isNaN(n)) return n - m
  return a < b ? 1 : -1
}

/** Returns null if the index has no facets, or an instance could not count them in time. */
function withoutFacets(error: unknown): null {
  if (error instanceof ApiError) return null
  if (error instanceof EngineFault && error.code === 'invalid_search_facets') return null
  throw error
}

type ChatSettings = {
  readonly description: string
  readonly documentTemplate: string
  readonly searchParameters: { readonly [name: string]: unknown }
}

const chatSettingsOf = ({ engine }: Options, uid: IndexUid): ChatSettings =>
  engine.documents.settings(uid)['chat'] as ChatSettings

/** Faults of a search that a model can correct. */
const CORRECTABLE: readonly string[] = [
  'invalid_search_attributes_to_search_on',
  'invalid_search_distinct',
  'invalid_search_filter',
  'invalid_search_sort',
]

async function search(
  options: Options,
  { caller, context, state }: Asking,
  searchArguments: SearchArguments,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  const asking = { caller, context: withSignal(context, signal), state }
  try {
    checkMaySearch(caller, searchArguments.indexUid)
    options.events.chatSearch('internal')
    return await findDocuments(options, asking, searchArguments)
  } catch (error) {
    if (signal.aborted) throw error
    const { code, message, status } = toApiError(error)
    if (!(error instanceof FilterSyntaxError) && CORRECTABLE.includes(code)) {
      // The model has named the index.
      const words = message.replace(`Index \`${searchArguments.indexUid}\`: `, '')
      return { kind: 'wrong', message: words }
    }
    return { kind: 'refused', status, message }
  }
}

/** A filter with a syntax error. */
class FilterSyntaxError extends EngineFault {}

/** @throws FilterSyntaxError */
function checkFilter({ engine }: Options, { indexUid, filter }: SearchArguments): void {
  if (filter === null) return
  const wording = { code: 'invalid_search_filter', indexUid, echo: 'sent' } as const
  try {
    parseRequiredFilter(filter, {
      wording,
      features: engine.administration.features,
      takesForeign: true,
    })
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    throw new FilterSyntaxError(error.code, error.message)
  }
}

const withSignal = (context: RequestContext, signal: AbortSignal): RequestContext => ({
  uid: context.uid,
  address: context.address,
  signal,
  header: (name) => context.header(name),
})

/** The key may have been deleted since the conversation began. @throws ApiError */
function checkMaySearch(caller: Caller, uid: IndexUid): void {
  if (!caller.isValid() || !caller.may('search')) throw invalidKey()
  if (caller.visible === null || caller.visible(uid)) return
  throw caller.refusal?.(uid) ?? invalidKey()
}

async function findDocuments(
  options: Options,
  asking: Asking,
  searchArguments: SearchArguments,
): Promise<SearchOutcome> {
  const { engine } = options
  const { indexUid, q, filter } = searchArguments
  const settings = engine.documents.settings(indexUid)
  const { documentTemplate, searchParameters } = chatSettingsOf(options, indexUid)
  checkFilter(options, searchArguments)
  const request = withCallersFilter(
    {
      ...DEFAULT_SEARCH,
      ...questionStrategy(options, indexUid),
      ...searchParameters,
      q,
      filter,
      isForModel: true,
    },
    asking.caller,
    indexUid,
  )
  const displayed = settings['displayedAttributes'] as readonly string[]
  const { whole, shown } = await hitsOf(options, asking, indexUid, request, displayed)
  const texts: string[] = []
  for (const document of whole) {
    texts.push(await rendered(options, asking, document, documentTemplate, indexUid))
  }
  const sources = `[${shown.map((hit) => Buffer.from(hit).toString()).join(',')}]`
  return { kind: 'found', content: texts.join('\n'), sources }
}

type Hits = {
  /** All fields, for the template. */
  readonly whole: readonly Uint8Array[]
  /** Displayed fields, for the client. */
  readonly shown: readonly Uint8Array[]
}

/** Returns the hits twice if some fields are not displayed, both from the same moment. */
async function hitsOf(
  options: Options,
  asking: Asking,
  indexUid: IndexUid,
  request: SearchRequest,
  displayed: readonly string[],
): Promise<Hits> {
  const context = searchContext(asking, options.engine.administration.features, asking.state)
  const requests = displayed.includes('*')
    ? [request]
    : [request, { ...request, isForModel: false }]
  const searches = requests.map((one) => ({ indexUid, request: one }))
  const answers = await over(options, searches, context)
  checkSize(answers.reduce((sum, { length }) => sum + length, 0))
  const [whole = [], shown = whole] = await Promise.all(answers.map(plainHits))
  return { whole, shown }
}

/** Returns the hits without the instance that they come from. */
const plainHits = async (answer: Uint8Array): Promise<readonly Uint8Array[]> =>
  (await splitHits(answer)).hits.map((hit) => withoutMembers(hit, ORIGIN))

const ORIGIN: ReadonlySet<string> = new Set(['_federation'])

/**
 * Runs searches over all shards if documents are divided between instances; returns an answer for
 * each, all of one moment. @throws EngineFault, ApiError if an instance does not answer
 */
async function over(
  { engine, instances }: Options,
  searches: readonly IndexSearch[],
  context: SearchContext,
): Promise<readonly Uint8Array[]> {
  const [only, ...others] = searches
  if (engine.network.get().leader !== null) {
    requireNetwork(engine.administration.features)
    const places = searches.map((_, at) => at)
    const answers = await instances.searches.several(searches, places, context)
    for (const answer of answers) checkComplete(answer)
    return answers
  }
  if (others.length === 0)
    return [await engine.queries.search(only!.indexUid, only!.request, context)]
  const pieces = await engine.queries.multiSearch(searches, context).catch(withoutPosition)
  return splitResults(Buffer.concat(pieces))
}

/** A model must not answer from a part of the documents without a word. @throws ApiError */
function checkComplete(answer: Uint8Array): void {
  const errors = memberOf(answer, 'remoteErrors')
  const [first] = Object.entries(JSON.parse(Buffer.from(errors ?? '{}').toString()) as object)
  if (first === undefined) return
  const [name, { message }] = first as [string, { readonly message: string }]
  throw new ApiError('remote_remote_error', `The instance \`${name}\` does not answer: ${message}`)
}

/**
 * Throws the same fault without the position of the search, because the model sees a single one.
 */
function withoutPosition(error: unknown): never {
  if (!(error instanceof EngineFault)) throw error
  throw new EngineFault(error.code, error.message.replace(/^Inside `\.queries\[\d+\]`: /, ''))
}

/** @throws ApiError */
function checkSize(bytes: number): void {
  if (bytes <= FOUND_BYTES_MAX) return
  const words =
    `The documents found have ${bytes} bytes, and a model receives ${FOUND_BYTES_MAX} ` +
    'at most. Lower the `limit` in the chat settings of the index.'
  throw new ApiError('bad_request', words)
}

/** Renders the document as text for the model. @throws ApiError */
async function rendered(
  { engine }: Options,
  { context: { signal } }: Asking,
  document: Uint8Array,
  template: string,
  indexUid: IndexUid,
): Promise<string> {
  const settings = engine.documents.settings(indexUid)
  const searchable = (settings['searchableAttributes'] as SearchableRanks).flat()
  const input = { kind: 'stored', json: document, searchable } as const
  const outcome = await engine.templates.run({ source: template, input }, { signal })
  if (outcome.kind === 'fault') throw templateFault(engine, outcome, document, indexUid)
  const { rendered } = JSON.parse(Buffer.from(outcome.json).toString()) as {
    readonly rendered: string
  }
  return rendered
}

type TemplateFault = Extract<TemplateOutcome, { readonly kind: 'fault' }>

function templateFault(
  engine: Options['engine'],
  { during, words }: TemplateFault,
  document: Uint8Array,
  indexUid: IndexUid,
): ApiError {
  if (during === 'parsing') {
    const message = `user error: cannot parse template: liquid: ${words}`
    return new ApiError('template_parsing_error', message)
  }
  const { primaryKey } = engine.documents.index(indexUid)
  const id = primaryKey === null ? null : memberOf(document, primaryKey)
  const value: unknown = id === null ? '' : JSON.parse(Buffer.from(id).toString())
  const lead = `user error: missing field in document \`${isObject(value) ? '' : String(value)}\``
  return new ApiError('template_rendering_error', `${lead}: liquid: ${words}`)
}
