// Builds an OpenAPI 3.1 description of the API from the declarations of the routes. The readers of
// query strings and bodies contain their schemas, so the description cannot differ from them.
import { assert } from '../../format/errors.ts'
import type { Route } from '../http/messages/index.ts'
import { readWriteWait } from '../parse/index.ts'
import type { DescribedParameter, JsonSchema } from '../parse/schema/index.ts'
import { longText, type Texts } from '../parse/texts/index.ts'
import { ANSWER_TEXTS } from './answer-texts.table.ts'
import { type AnswerRow, answerOf } from './answers.table.ts'
import { refTo, SCHEMAS } from './schemas.table.ts'
import { COMMON_TEXTS } from './texts.table.ts'
import { describedBody, textsOf, withTexts } from './texts.ts'

/** An OpenAPI document. */
export type Description = {
  readonly openapi: string
  readonly info: JsonSchema
  readonly paths: { readonly [path: string]: { readonly [method: string]: JsonSchema } }
  readonly components: { readonly schemas: { readonly [name: string]: JsonSchema } } & JsonSchema
  readonly tags: readonly JsonSchema[]
}

/**
 * Describes routes without calling their handlers. Asserts that each route has an answer in
 * `ANSWERS`.
 */
export function describe(routes: readonly Route[], version: string): Description {
  const paths: { [path: string]: { [method: string]: JsonSchema } } = {}
  for (const route of routes) {
    if (route.method === 'HEAD') continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operation(route)
  }
  const tags = [...new Set(routes.map(tagOf))].map((name) => ({ name }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Svc Search',
      version,
      summary: 'Documents in indexes, and searches over them.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags,
    paths,
    components: {
      schemas: describedAnswers(),
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  } as Description
}

const describedAnswers = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [
      name,
      withTexts(schema, ANSWER_TEXTS[name] ?? {}),
    ]),
  )

const tagOf = ({ path }: Route): string => {
  const [, first = '', , third = ''] = path.split('/')
  if (first !== 'indexes') return first === '' ? 'server' : first
  if (third === 'documents' || third === 'settings') return third
  return ['search', 'facet-search', 'similar', 'suggest'].includes(third) ? 'search' : first
}

function operation(route: Route): JsonSchema {
  const answer = answerOf(route.method, route.path)
  assert(answer !== undefined, `${route.method} ${route.path} has an answer`)
  const parameters = [...inPath(route), ...inQuery(route, answer)]
  const body = bodyOf(route)
  return {
    operationId: idOf(route),
    summary: answer.summary,
    tags: [tagOf(route)],
    ...(route.permits === null ? {} : { security: [{ key: [] }], 'x-action': route.permits }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: responses(route, answer),
  }
}

const idOf = ({ method, path }: Route): string => {
  const words = path.split(/[/:-]/).filter((word) => word !== '')
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return method.toLowerCase() + name
}

const inPath = ({ path }: Route): readonly JsonSchema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: COMMON_TEXTS[name],
    schema: { type: 'string', minLength: 1 },
  }))

/** Writes that create a task also have the parameters of `server/launch/write-wait.ts`. */
const inQuery = (route: Route, { schema }: AnswerRow): readonly JsonSchema[] => {
  const texts = textsOf(route)
  return [
    ...(route.query?.parameters() ?? []),
    ...(schema === 'Summary' ? readWriteWait.parameters() : []),
  ].map((described) => parameter(described, texts))
}

/** Describes a query parameter. Lists are separated by commas. */
function parameter({ name, schema: sent, code }: DescribedParameter, texts: Texts): JsonSchema {
  const isList = sent['type'] === 'array'
  const { deprecated, ...schema } = sent
  const { [name]: text } = texts
  return {
    name,
    in: 'query',
    required: false,
    ...(text === undefined ? {} : { description: longText(text).about }),
    ...(deprecated === true ? { deprecated } : {}),
    schema,
    ...(isList ? { style: 'form', explode: false } : {}),
    'x-error-code': code,
  }
}

const DOCUMENT_TYPES = {
  'application/json': {
    schema: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }] },
  },
  'application/x-ndjson': { schema: { type: 'string' } },
  'text/csv': { schema: { type: 'string' } },
}

function bodyOf(route: Route): JsonSchema | null {
  const { body } = route
  if (body === 'none') return null
  if (body === 'documents') return { required: true, content: DOCUMENT_TYPES }
  return {
    required: true,
    content: { 'application/json': { schema: describedBody(route, body.schema()) } },
  }
}

/** Meanings of error statuses. */
const REFUSALS: { readonly [status: string]: string } = {
  400: 'The request is not valid',
  401: 'The API key is missing',
  403: 'The API key is not valid or lacks the permission',
  404: 'The resource does not exist',
  409: 'The resource already exists',
  413: 'The body is too large',
  415: 'The content type of the body is not accepted',
  422: 'The task queue is full',
  501: 'Not implemented',
  503: 'The server is overloaded; try again later',
  '5XX': 'The server failed',
}

const SENTENCE = { 'text/plain': { schema: { type: 'string' } } }

function responses(route: Route, answer: AnswerRow): JsonSchema {
  const good = contentOf(answer)
  const refused = refusalsOf(route, answer).map((status) => [
    status,
    {
      description: REFUSALS[status],
      content: {
        'application/json': { schema: refTo('Error') },
        // The error for a name that no rule can have is plain text.
        ...(status === '404' && route.path.includes(':ruleUid') ? SENTENCE : {}),
      },
    },
  ])
  return {
    [answer.status]: { description: answer.summary, ...good },
    ...Object.fromEntries(refused),
  }
}

function contentOf({ status, schema, type }: AnswerRow): JsonSchema {
  if (status === 204) return {}
  const shape = schema === null ? { type: 'string' } : refTo(schema)
  return { content: { [type ?? 'application/json']: { schema: shape } } }
}

function refusalsOf({ permits, path, body, query }: Route, { schema }: AnswerRow): string[] {
  const hasParameters = path.includes('/:')
  const isSearch = /search|similar|documents/.test(path)
  const gates = ['/logs', '/metrics', '/network', '/chats', '/dynamic', '/render', '/tasks/compact']
  const isGated = gates.some((gate) => path.startsWith(gate))
  return [
    ...(hasParameters || query !== null || body !== 'none' || isGated ? ['400'] : []),
    ...(permits === null ? [] : ['401', '403']),
    ...(hasParameters || path === '/render-template' ? ['404'] : []),
    ...(path === '/keys' && body !== 'none' ? ['409'] : []),
    ...(body === 'none' ? [] : ['413', '415']),
    ...(schema === 'Summary' ? ['422'] : []),
    ...(path.includes('/completions') ? ['501'] : []),
    ...(isSearch ? ['503'] : []),
    '5XX',
  ]
}
