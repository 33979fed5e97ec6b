// The API page without a browser: operations, schemas and requests of a description.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../openapi/index.ts'
import { curlOf } from '../parts/snippets.ts'
import { type Description, matches, type Operation, operationsOf } from './api-description.ts'
import { missingOf, sentOf, targetOf } from './api-request.ts'
import { exampleOf, membersOf, typeText } from './api-schema.ts'

let description: Description
let operations: readonly Operation[]

const operation = (method: string, path: string): Operation =>
  operations.find((found) => found.method === method && found.path === path)!

beforeAll(async () => {
  description = JSON.parse(JSON.stringify(await describeApi())) as Description
  operations = operationsOf(description)
})

describe('operations', () => {
  it('are complete, have a tag each, and are found by words', () => {
    expect(operations.length).toBeGreaterThan(100)
    const subjects = new Set(description.tags.map(({ name }) => name))
    for (const { tag } of operations) expect(subjects).toContain(tag)
    const found = operations.filter((one) => matches(one, 'delete documents'))
    expect(found.map(({ path }) => path)).toContain('/indexes/{indexUid}/documents/delete')
    expect(operations.filter((one) => matches(one, ''))).toHaveLength(operations.length)
  })

  it('have examples of bodies that are JSON where JSON is sent', () => {
    for (const { body, path } of operations) {
      for (const [type, { schema }] of Object.entries(body ?? {})) {
        const example = exampleOf(path, type, schema)
        if (type === 'application/json') expect(() => JSON.parse(example) as unknown).not.toThrow()
      }
    }
  })
})

describe('a schema in words', () => {
  it.each([
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', items: { type: 'integer', minimum: 0 } }, 'array of integer'],
    [{ type: 'string', enum: ['a', 'b'] }, 'string: a, b'],
    [{ type: 'number', minimum: 0, maximum: 1 }, 'number, 0 to 1'],
    [{ $ref: '#/components/schemas/Task' }, 'Task'],
    [{ anyOf: [{ type: 'string' }, { const: '*' }] }, 'string or "*"'],
    [{}, 'any value'],
  ])('%j is %s', (schema, text) => expect(typeText(schema)).toBe(text))

  it('names the members of objects inside', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
    }
    expect(membersOf(schema).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['a', true],
      ['a.b', false],
    ])
  })
})

describe('a request that a user writes', () => {
  const path = '/indexes/{indexUid}/documents'

  it('has its parameters in the path and in the query string', () => {
    const written = {
      operation: operation('POST', path),
      values: new Map([
        ['indexUid', 'a/b'],
        ['primaryKey', 'id'],
        ['csvDelimiter', ''],
      ]),
      body: { type: 'text/csv', text: "id\n'1'" },
    }
    expect(targetOf(written)).toBe('/indexes/a%2Fb/documents?primaryKey=id')
    expect(missingOf(written)).toEqual([])
    expect(missingOf({ ...written, values: new Map() })).toEqual(['indexUid'])
    const curl = curlOf(sentOf(written), 'http://localhost:7700', true)
    expect(curl).toContain(`--data-binary 'id\n'\\''1'\\'''`)
    expect(curl).toContain('Bearer $KEY')
    expect(curlOf(sentOf(written), '', false)).not.toContain('Authorization')
  })
})
