// Types in words, and the members of objects inside of schemas.
import { expect, test } from 'vitest'
import { innerMembers, type Schema, typeWords } from './schema-words.ts'

const text: Schema = { type: 'string' }

test.each<readonly [Schema, string]>([
  [text, 'text'],
  [{}, 'any JSON'],
  [{ type: ['boolean', 'null'] }, '`true` or `false`'],
  [{ type: 'integer', minimum: 0 }, 'whole number'],
  [{ type: 'integer', minimum: 1 }, 'whole number from 1'],
  [{ type: ['integer', 'null'], minimum: 3, maximum: 60_000 }, 'whole number, 3 to 60,000'],
  [{ type: 'number', minimum: 0, maximum: 1 }, 'number, 0 to 1'],
  [{ type: ['string', 'null'], enum: ['a', 'b', null] }, '`a` or `b`'],
  [{ type: 'string', enum: ['a'] }, '`a`'],
  [{ enum: Array.from({ length: 14 }, (_, i) => `w${i}`) }, `${words(12)} and 2 more`],
  [{ type: 'array', items: text, maxItems: 1000 }, 'list, at most 1,000, of text'],
  [
    { type: 'object', additionalProperties: { type: 'number' } },
    'object of names, each with number',
  ],
  [{ type: 'object', properties: { a: text } }, 'object'],
  [{ anyOf: [text, { type: 'array', items: text }, { type: 'null' }] }, 'text, or list of text'],
  [{ type: 'array', items: { anyOf: [text, { type: 'object' }] } }, 'list of (text, or object)'],
])('%j is %s', (schema, wanted) => {
  expect(typeWords(schema)).toBe(wanted)
})

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `\`w${i}\``).join(', ')
}

test('the members of lists, maps and choices are found once', () => {
  const inner: Schema = { properties: { b: text, c: { items: { properties: { d: text } } } } }
  const schema: Schema = {
    properties: { a: { anyOf: [inner, { additionalProperties: inner }, text] } },
    items: inner,
  }
  expect(innerMembers(schema).map(({ path }) => path)).toEqual([
    'a',
    'a.b',
    'a.c',
    'a.c.d',
    'b',
    'c',
    'c.d',
  ])
  expect(innerMembers(text)).toEqual([])
})
