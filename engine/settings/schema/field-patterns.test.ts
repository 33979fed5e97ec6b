// Names and patterns of fields.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { covers, matchesPattern } from './field-patterns.ts'

test.each([
  ['size', 'size', true],
  ['size', 'size.w', true],
  ['size', 'sizes', false],
  ['size.w', 'size', false],
  ['', '', true],
  ['', 'a', false],
])('%s covers %s: %s', (name, field, answer) => {
  expect(covers(name, field)).toBe(answer)
})

test('a pattern matches like the equivalent regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 5 })
  const pattern = fc
    .tuple(fc.constantFrom('', '*'), letters, fc.constantFrom('', '*'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(pattern, letters, (text, field) => {
      const body = text.replace(/^\*|\*$/g, '').replaceAll('.', '\\.')
      const first = text.startsWith('*') ? '.*' : ''
      const last = text.endsWith('*') ? '.*' : ''
      expect(matchesPattern(text, field)).toBe(new RegExp(`^${first}${body}${last}$`).test(field))
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['*', 'anything', true],
  ['**', 'anything', true],
  ['a*b*', 'a*bc', true],
  ['a*b*', 'axb', false],
  ['k*d', 'kind', false],
  ['size', 'size.w', false],
  ['size.*', 'size.w', true],
  ['size.*', 'size', false],
  ['', '', true],
])('%s stands for %s: %s', (pattern, field, answer) => {
  expect(matchesPattern(pattern, field)).toBe(answer)
})
