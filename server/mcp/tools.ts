// The tools that agents call. Each is a call of one route of this API, with the rights and checks of
// that route; its arguments are the body of the route, or what the route reads from path and query.
import { assert } from '../../format/errors.ts'
import { isObject } from '../../format/schema/index.ts'
import type { Route } from '../http/messages/index.ts'
import type { JsonSchema } from '../parse/schema/index.ts'
import { SAMPLE_DOCUMENTS } from './limits.ts'

type Arguments = { readonly [name: string]: unknown }

/** The parts of a call of a route. */
export type RouteCall = {
  readonly params: { readonly indexUid?: string }
  /** Without its `?`. */
  readonly query: string
  /** The body as a JSON value, or null without one. */
  readonly body: unknown
}

/** Calls a tool does not take: the argument, and why. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly route: Route
  /** Returns the call of the route for these arguments. @throws ArgumentError */
  readonly call: (given: Arguments) => RouteCall
}

const INDEX_UID = { type: 'string', description: 'The uid of an index, from `listIndexes`.' }
const PAGE = { offset: { type: 'integer', minimum: 0 }, limit: { type: 'integer', minimum: 0 } }

/**
 * Returns the tools. `routes`: all routes of the API; `memberDefaults`: members of a search in an
 * index that apply unless the agent sends them.
 */
export function toolsOf(
  routes: readonly Route[],
  memberDefaults: (indexUid: string) => object,
): readonly Tool[] {
  const routeAt = (method: string, path: string): Route => {
    const found = routes.find((route) => route.method === method && route.path === path)
    assert(found !== undefined, 'a tool calls a route that exists')
    return found
  }
  const list = routeAt('GET', '/indexes')
  const fetch = routeAt('POST', '/indexes/:indexUid/documents/fetch')
  const search = routeAt('POST', '/multi-search')
  const facets = routeAt('POST', '/indexes/:indexUid/facet-search')
  return [
    {
      name: 'listIndexes',
      title: 'List indexes',
      description: 'Lists the indexes that can be searched: uid, primary key, times.',
      inputSchema: objectSchema(PAGE, []),
      route: list,
      call: (given) => ({ params: {}, query: queryOf(given), body: null }),
    },
    {
      name: 'describeIndex',
      title: 'Describe an index',
      description: `Shows up to ${SAMPLE_DOCUMENTS} documents of an index, and how many it has.`,
      inputSchema: objectSchema({ indexUid: INDEX_UID }, ['indexUid']),
      route: fetch,
      call: (given) => {
        const { params, rest } = ofIndex(given)
        for (const name of Object.keys(rest)) throw unknown(name, ['indexUid'])
        return { params, query: '', body: { limit: SAMPLE_DOCUMENTS } }
      },
    },
    {
      name: 'searchInIndexes',
      title: 'Search indexes',
      description:
        'Runs one or more searches, each in one index: typo-tolerant words, filters, sorting, ' +
        'facets. With `federation` the hits of all searches become one list.',
      inputSchema: schemaOf(search),
      route: search,
      call: (body) => ({ params: {}, query: '', body: withDefaults(body, memberDefaults) }),
    },
    {
      name: 'facetSearch',
      title: 'Search values of a facet',
      description: 'Finds values of a filterable field that begin with a text, with their counts.',
      inputSchema: withIndex(schemaOf(facets)),
      route: facets,
      call: (given) => {
        const { params, rest } = ofIndex(given)
        return { params, query: '', body: rest }
      },
    },
  ]
}

const objectSchema = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

function schemaOf({ body }: Route): JsonSchema {
  assert(typeof body !== 'string', 'the route reads JSON')
  return body.schema()
}

/** Returns a multi-search with the defaults of its indexes; the route checks its form. */
function withDefaults(body: Arguments, memberDefaults: (indexUid: string) => object): Arguments {
  const { queries } = body
  if (!Array.isArray(queries)) return body
  return {
    ...body,
    queries: queries.map((query: unknown) =>
      isObject(query) && typeof query['indexUid'] === 'string'
        ? { ...memberDefaults(query['indexUid']), ...query }
        : query,
    ),
  }
}

const withIndex = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { indexUid: INDEX_UID, ...(schema['properties'] as JsonSchema) },
  required: ['indexUid', ...((schema['required'] as readonly string[] | undefined) ?? [])],
})

/** @throws ArgumentError */
function ofIndex({ indexUid, ...rest }: Arguments): Pick<RouteCall, 'params'> & {
  readonly rest: Arguments
} {
  if (typeof indexUid === 'string') return { params: { indexUid }, rest }
  throw new ArgumentError(
    indexUid === undefined
      ? 'Missing argument `indexUid`.'
      : 'Invalid argument `indexUid`: expected a string.',
  )
}

/** Returns the page as a query string; the route checks its numbers. @throws ArgumentError */
function queryOf(given: Arguments): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(PAGE, name)) throw unknown(name, Object.keys(PAGE))
    if (value === null) continue
    if (typeof value !== 'number') {
      throw new ArgumentError(`Invalid argument \`${name}\`: expected a positive integer.`)
    }
    query.set(name, String(value))
  }
  return query.toString()
}

const unknown = (name: string, names: readonly string[]): ArgumentError => {
  const expected = names.map((one) => `\`${one}\``).join(', ')
  return new ArgumentError(`Unknown argument \`${name}\`: expected one of ${expected}.`)
}
