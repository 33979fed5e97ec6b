// Schemas in the form of the API description.
import { expect, test } from 'vitest'
import * as schema from './index.ts'

const { asKeywords, count, list, mapOf, nullable, oneOf, text } = schema

test.each([
  [text, '{"type":"string"}'],
  [nullable(text), '{"type":["string","null"]}'],
  [nullable(oneOf(['a'])), '{"type":["string","null"],"enum":["a",null]}'],
  [nullable(schema.anything), '{}'],
  [
    nullable(schema.either(text, count)),
    '{"anyOf":[{"anyOf":[{"type":"string"},{"type":"integer","minimum":0}]},{"type":"null"}]}',
  ],
  [
    schema.listUpTo(3, nullable(count)),
    '{"type":"array","items":{"type":["integer","null"],"minimum":0},"maxItems":3}',
  ],
  [
    mapOf(list(text)),
    '{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}',
  ],
  [
    schema.objectOf({ b: text, type: mapOf(text), a: count }, ['a']),
    '{"type":"object","properties":{"b":{"type":"string"},' +
      '"type":{"type":"object","additionalProperties":{"type":"string"}},' +
      '"a":{"type":"integer","minimum":0}},"required":["a"],"additionalProperties":false}',
  ],
  [schema.open(schema.part({ a: text })), '{"type":"object","properties":{"a":{"type":"string"}}}'],
])('%#', (made, written) => {
  expect(JSON.stringify(asKeywords(made as schema.Schema<unknown>))).toBe(written)
})

test('hand-written schemas do not change', () => {
  const given = {
    type: 'object',
    properties: { a: { type: 'string', format: 'uuid' } },
    required: ['a'],
  }
  expect(JSON.stringify(asKeywords(given))).toBe(JSON.stringify(given))
})
