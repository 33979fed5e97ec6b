// How a conversation searches this index and presents its documents to the model.
import {
  count,
  number,
  object,
  objectWith,
  oneOf,
  part,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { EngineFault, type Fusion, type QuerySyntax } from '../../model/index.ts'
import { mergeMember, type Partly, setting } from '../schema/index.ts'
import {
  DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT,
  DOCUMENT_TEMPLATE_DEFAULT,
} from './document-template.ts'

type ChatHybrid = {
  readonly semanticRatio: number
  readonly embedder: string
  readonly fusion?: Fusion
}
/** Absent members use the defaults of searches. */
export type ChatSearchParameters = {
  readonly hybrid?: ChatHybrid
  readonly limit?: number
  readonly sort?: readonly string[]
  readonly distinct?: string
  readonly matchingStrategy?: 'last' | 'all' | 'frequency' | 'any'
  readonly attributesToSearchOn?: readonly string[]
  readonly rankingScoreThreshold?: number
  readonly querySyntax?: QuerySyntax
}
export type ChatSettings = {
  readonly description: string
  readonly documentTemplate: string
  readonly documentTemplateMaxBytes: number
  readonly searchParameters: ChatSearchParameters
}
export type ChatPatch = Partly<Omit<ChatSettings, 'searchParameters'>> & {
  readonly searchParameters?: Partly<ChatSearchParameters> | null
}

const DEFAULT: ChatSettings = {
  description: '',
  documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
  documentTemplateMaxBytes: DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT,
  searchParameters: {},
}

/** In the order in which they are shown. */
const searchMembers = {
  hybrid: objectWith<ChatHybrid>(
    { semanticRatio: number, embedder: text },
    { fusion: oneOf(['score', 'rrf']) },
  ),
  limit: count,
  sort: texts,
  distinct: text,
  matchingStrategy: oneOf(['last', 'all', 'frequency', 'any']),
  attributesToSearchOn: texts,
  rankingScoreThreshold: number,
  querySyntax: oneOf(['plain', 'boolean']),
}
const SEARCH_MEMBERS = Object.keys(searchMembers) as (keyof ChatSearchParameters)[]

export const chat = setting<ChatSettings, ChatPatch>()({
  code: 'invalid_settings_index_chat',
  advice: 'send an object; the message lists its members.',
  change: 'members',
  feature: 'chatCompletions',
  default: DEFAULT,
  stored: object<ChatSettings>({
    description: text,
    documentTemplate: text,
    documentTemplateMaxBytes: count,
    searchParameters: part<ChatSearchParameters>(searchMembers),
  }),
  merge(current, patch) {
    if (patch.documentTemplateMaxBytes === 0) {
      throw new EngineFault(
        'invalid_settings_embedders',
        '`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero',
      )
    }
    return {
      description: mergeMember(patch.description, current.description, DEFAULT.description),
      documentTemplate: mergeMember(
        patch.documentTemplate,
        current.documentTemplate,
        DEFAULT.documentTemplate,
      ),
      documentTemplateMaxBytes: mergeMember(
        patch.documentTemplateMaxBytes,
        current.documentTemplateMaxBytes,
        DEFAULT.documentTemplateMaxBytes,
      ),
      searchParameters: mergeSearch(current.searchParameters, patch.searchParameters),
    }
  },
})

function mergeSearch(
  current: ChatSearchParameters,
  given: Partly<ChatSearchParameters> | null | undefined,
): ChatSearchParameters {
  if (given === undefined) return current
  if (given === null) return {}
  const merged: [string, unknown][] = []
  for (const name of SEARCH_MEMBERS) {
    const value = given[name] === undefined ? current[name] : given[name]
    if (value !== undefined && value !== null) merged.push([name, value])
  }
  return Object.fromEntries(merged)
}
