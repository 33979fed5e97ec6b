// Texts in schemas: at each depth, in lists, maps and choices, and for each route.
import { beforeAll, describe, expect, test } from 'vitest'
import { SEARCH_TEXTS, SETTING_TEXTS } from '../parse/texts/index.ts'
import { ANSWER_TEXTS } from './answer-texts.table.ts'
import { type Description, describeApi } from './index.ts'
import { describedBody, textsOf, withTexts } from './texts.ts'

type Schema = {
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly description?: string
  readonly examples?: unknown
  readonly default?: unknown
}
type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly requestBody?: {
    readonly content: { readonly [type: string]: { readonly schema: Schema } }
  }
}

let description: Description
beforeAll(async () => {
  description = await describeApi()
})

const operationOf = (method: string, path: string): Operation =>
  description.paths[path]![method] as Operation
const bodyOf = (method: string, path: string): Schema =>
  operationOf(method, path).requestBody!.content['application/json']!.schema

describe('texts are added to', () => {
  const member = { type: 'object', properties: { b: { type: 'string' } } }
  const texts = { a: { about: 'A.', since: '1.57', members: { b: 'B.' } } } as const
  const described = { type: 'string', description: 'B.' }

  test.each([
    ['a member of an object', member, { properties: { b: described } }],
    ['one of a list', { items: member }, { items: { properties: { b: described } } }],
    [
      'one of a map',
      { additionalProperties: member },
      { additionalProperties: { properties: { b: described } } },
    ],
    ['one of a choice', { anyOf: [{}, member] }, { anyOf: [{}, { properties: { b: described } }] }],
  ])('%s', (_name, schema, wanted) => {
    const found = withTexts({ properties: { a: schema } }, texts) as Schema
    expect(found.properties!['a']).toMatchObject({ ...wanted, description: 'A.' })
    expect(found.properties!['a']).toHaveProperty('x-since', '1.57')
  })

  test('no member of the same name elsewhere, and none without a text', () => {
    const schema = { properties: { b: {}, toString: {} }, additionalProperties: false }
    expect(withTexts(schema, texts)).toEqual(schema)
  })
})

test('the route of a setting has its text and those of its members', () => {
  const route = { method: 'PATCH', path: '/indexes/:indexUid/settings/pagination' }
  const { about, examples, members } = SETTING_TEXTS.pagination
  expect(describedBody(route, {})).toEqual({ description: about, examples })
  expect(textsOf(route)).toMatchObject(members!)
  const other = { method: 'PUT', path: '/indexes/:indexUid/settings/unknown' }
  expect(describedBody(other, { type: 'string' })).toEqual({ type: 'string' })
})

test('searches have the same texts in bodies, query strings and lists', () => {
  const { q, hybrid } = SEARCH_TEXTS
  const path = '/indexes/{indexUid}/search'
  expect(bodyOf('post', path).properties!['q']).toMatchObject({
    description: q.about,
    examples: q.examples,
    'x-error-code': 'invalid_search_q',
  })
  const parameters = new Map(
    operationOf('get', path).parameters!.map(({ name, description: words }) => [name, words]),
  )
  expect(parameters.get('q')).toBe(q.about)
  expect(parameters.get('hybridEmbedder')).toBe(hybrid.members!['embedder'])
  const { queries } = bodyOf('post', '/multi-search').properties!
  expect(queries!.items!.properties!['q']!.description).toBe(q.about)
})

test('defaults stand in the description', () => {
  const { limit, q } = bodyOf('post', '/indexes/{indexUid}/search').properties!
  expect([limit!.default, q!.default]).toEqual([20, undefined])
  const settings = description.components.schemas['Settings'] as Schema
  expect(settings.properties!['displayedAttributes']!.default).toEqual(['*'])
  expect(settings.properties!['searchCutoffMs']!.default).toBeNull()
})

/** Returns the paths of members without a description, those of inner schemas included. */
function undescribed(schema: Schema, path: string): string[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    ...(/^\S.*\.$/.test(inner.description ?? '') ? [] : [`${path}.${name}`]),
    ...undescribed(inner, `${path}.${name}`),
  ])
  const { items, additionalProperties: more, anyOf = [] } = schema
  const inside = [items, typeof more === 'object' ? more : undefined, ...anyOf]
  return [...members, ...inside.flatMap((one) => (one === undefined ? [] : undescribed(one, path)))]
}

describe('every member has a description', () => {
  test('of requests', () => {
    const missing: string[] = []
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { parameters = [], requestBody } = operation as Operation
        const place = `${method.toUpperCase()} ${path}`
        for (const { name, description: words } of parameters) {
          if (words === undefined) missing.push(`${place} ?${name}`)
        }
        const schema = requestBody?.content['application/json']?.schema
        if (schema !== undefined) missing.push(...undescribed(schema, place))
      }
    }
    expect(missing).toEqual([])
  })

  test('of answers', () => {
    const missing = Object.entries(description.components.schemas).flatMap(([name, schema]) =>
      undescribed(schema as Schema, name),
    )
    expect(missing).toEqual([])
  })

  test('and one without is noticed', () => {
    const member: Schema = { properties: { a: { items: { properties: { b: {} } } } } }
    expect(undescribed({ anyOf: [member] }, 'x')).toEqual(['x.a', 'x.a.b'])
  })
})

test('texts of answers name existing schemas and members', () => {
  for (const [name, texts] of Object.entries(ANSWER_TEXTS)) {
    expect(description.components.schemas, name).toHaveProperty(name)
    expect(Object.keys(texts).length, name).toBeGreaterThan(0)
  }
})
