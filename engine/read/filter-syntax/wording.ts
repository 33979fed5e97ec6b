// The wording of filter faults: the code, whether the message begins with the index, and whether
// its second line quotes the text as sent or as rewritten from the tree.
import type { IndexUid } from '../../../format/ids.ts'
import { boundary, EngineFault, type FaultDetail } from '../../model/index.ts'
import { characterCount, columnOf, shown } from './characters.ts'
import { QUOTED_UNITS_MAX } from './limits.ts'
import { rewrite } from './rewrite.ts'
import type { FilterTree, Token } from './tree.ts'

type FilterFaultCode =
  | 'invalid_search_filter'
  | 'invalid_document_filter'
  | 'invalid_similar_filter'
  | 'invalid_suggest_filter'

export type FilterWording = {
  readonly code: FilterFaultCode
  /** The index at the beginning of messages; null for none. */
  readonly indexUid: IndexUid | null
  readonly echo: 'sent' | 'rewritten'
}

/**
 * The user of a filter. `foreign` is the condition inside a `_foreign`; its messages name the
 * foreign index.
 */
export type FilterEndpoint =
  | 'search'
  | 'chat'
  | 'facetSearch'
  | 'similar'
  | 'suggest'
  | 'documents'
  | 'deletion'
  | 'edition'
  | 'export'
  | 'foreign'

type Voice = { readonly code: FilterFaultCode; readonly named: 'never' | 'running' | 'always' }
const VOICES: { readonly [E in FilterEndpoint]: Voice } = {
  search: { code: 'invalid_search_filter', named: 'running' },
  chat: { code: 'invalid_search_filter', named: 'never' },
  facetSearch: { code: 'invalid_search_filter', named: 'never' },
  similar: { code: 'invalid_similar_filter', named: 'never' },
  suggest: { code: 'invalid_suggest_filter', named: 'never' },
  documents: { code: 'invalid_document_filter', named: 'never' },
  deletion: { code: 'invalid_document_filter', named: 'running' },
  edition: { code: 'invalid_document_filter', named: 'always' },
  export: { code: 'invalid_document_filter', named: 'always' },
  foreign: { code: 'invalid_document_filter', named: 'always' },
}

/** Returns the wording while a filter is parsed, or while it runs against an index. */
export function filterWording(
  endpoint: FilterEndpoint,
  stage: 'parsing' | 'running',
  indexUid: IndexUid,
): FilterWording {
  const { code, named } = VOICES[endpoint]
  const isNamed = named === 'always' || (named === 'running' && stage === 'running')
  return {
    code,
    indexUid: isNamed ? indexUid : null,
    echo: endpoint === 'search' && stage === 'running' ? 'rewritten' : 'sent',
  }
}

/** Returns `sentence`, with the index in front unless it is null. */
export const named = (indexUid: IndexUid | null, sentence: string): string =>
  indexUid === null ? sentence : `Index \`${indexUid}\`: ${sentence}`

/** A fault without a position. */
export const plainFault = (
  wording: FilterWording,
  sentence: string,
  detail: FaultDetail | null = null,
): EngineFault => new EngineFault(wording.code, named(wording.indexUid, sentence), detail)

/** A fault at source[from, to); the second line quotes the source. */
export const faultAt = (
  wording: FilterWording,
  sentence: string,
  source: string,
  from: number,
  to: number,
): EngineFault => plainFault(wording, `${sentence}\n${echo(source, from, to)}`)

/** A fault at `token`, found while `root` runs. */
export function faultInTree(
  wording: FilterWording,
  sentence: string,
  token: Token,
  root: FilterTree,
): EngineFault {
  if (wording.echo === 'sent') {
    return faultAt(wording, sentence, token.source, token.from, token.to)
  }
  const { text, from, to } = rewrite(root, token)
  return faultAt(wording, sentence, text, from, to)
}

/** The second line of a message: the columns of source[from, to), then all of `source`. */
export function echo(source: string, from: number, to: number): string {
  const column = columnOf(source, from)
  return `${column}:${column + characterCount(source, from, to)} ${source}`
}

/** A fragment between back-ticks, with invisible characters escaped. */
export const quoted = (fragment: string): string => `\`${shown(cut(fragment))}\``

/** The beginning of a text that is too long to be quoted whole. */
export const cut = (text: string): string =>
  text.length > QUOTED_UNITS_MAX ? `${text.slice(0, boundary(text, QUOTED_UNITS_MAX))}…` : text
