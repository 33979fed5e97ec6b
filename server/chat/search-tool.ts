// The search function for models: its definition, and the parser of its arguments.
import type { ChatPrompt } from '../../engine/index.ts'
import { asIndexUid, type IndexUid } from '../../format/ids.ts'
import { faultOf, isValid, nullable, objectOf, open, text } from '../../format/schema/index.ts'

export const SEARCH_FUNCTION = '_meiliSearchInIndex'

export type SearchArguments = {
  readonly indexUid: IndexUid
  readonly q: string | null
  /** Never empty. */
  readonly filter: string | null
}

export type SearchOutcome =
  | {
      readonly kind: 'found'
      /** The documents as text for the model. */
      readonly content: string
      /** The documents as a JSON list for the client. */
      readonly sources: string
    }
  /** The search is invalid; the model may correct it. */
  | { readonly kind: 'wrong'; readonly message: string }
  /** The error is also reported to the client. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }

export interface SearchTool {
  /** The definition for models, as JSON. */
  readonly definition: string
  /** Never rejects, unless the signal was aborted. */
  readonly search: (searchArguments: SearchArguments, signal: AbortSignal) => Promise<SearchOutcome>
}

/** The description of an index for the model. */
export type DescribedIndex = {
  readonly uid: IndexUid
  readonly description: string
  /** Filterable fields with their most frequent values. */
  readonly facets: readonly (readonly [field: string, values: readonly string[]])[]
}

/** Returns the function definition as JSON for a model. */
export function searchDefinition(
  prompts: { readonly [name in ChatPrompt]: string },
  indexes: readonly DescribedIndex[],
): string {
  const described = indexes.map(({ uid, description }) => `\n\n - ${uid}: ${description}\n\n`)
  const facets = indexes.map(({ uid, facets }) => {
    const lines = facets.map(([field, values]) => `${field}: ${values.join(', ')}.\n`)
    return `\n## Facet distributions of the ${uid} index\n${lines.join('')}\n`
  })
  const indexUid = {
    type: 'string',
    enum: indexes.map(({ uid }) => uid),
    description: prompts.searchIndexUidParam,
  }
  return JSON.stringify({
    type: 'function',
    function: {
      name: SEARCH_FUNCTION,
      description: prompts.searchDescription + described.join(''),
      parameters: {
        type: 'object',
        properties: {
          index_uid: indexUid,
          q: { type: 'string', description: prompts.searchQParam },
          filter: { type: 'string', description: prompts.searchFilterParam + facets.join('') },
        },
        required: ['index_uid', 'q', 'filter'],
        additionalProperties: false,
      },
      strict: true,
    },
  })
}

type Sent = {
  readonly index_uid: string
  readonly q?: string | null
  readonly filter?: string | null
}

const ARGUMENTS = open(
  objectOf({ index_uid: text, q: nullable(text), filter: nullable(text) }, ['index_uid']),
)

/** Parses the arguments of a call; returns an error message for the model if they are invalid. */
export function readArguments(json: string): SearchArguments | string {
  let sent: unknown
  try {
    sent = JSON.parse(json)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return `the arguments are not JSON: ${error.message}`
  }
  if (!isValid(ARGUMENTS, sent)) {
    const fault = faultOf(ARGUMENTS, sent)
    const place =
      fault === null || fault.path === '' ? 'the arguments' : `\`${fault.path.slice(1)}\``
    return `${place} should be ${fault?.expected ?? 'an object'}`
  }
  const { index_uid: indexUid, q = null, filter = null } = sent as unknown as Sent
  return { indexUid: asIndexUid(indexUid), q, filter: filter === '' ? null : filter }
}
