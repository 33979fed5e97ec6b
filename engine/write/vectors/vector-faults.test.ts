// Faults of the vectors of a document, word by word.
import { expect, test } from 'vitest'
import { DIMENSIONS_MAX } from '../../../format/vectors/index.ts'
import { NameHints, noVectorsFault, vectorsFault } from './vector-faults.ts'

const place = { id: Buffer.from('7'), name: 'e' }

/** Returns the end of a message about a value, without the document. */
const words = (fault: Error): string => fault.message.replace(/^Bad .* with id: `7`\. /, '')

test.each([
  ['"a\\"b"', 'string `a"b`'],
  ['true', 'boolean `true`'],
  ['false', 'boolean `false`'],
  ['12', 'integer `12`'],
  ['-1.5', 'float `-1.5`'],
])('%s in place of vectors', (json, kind) => {
  const bytes = Buffer.from(`  ${json}  `)
  expect(words(vectorsFault.notVectors(place, bytes, 2, 2 + json.length))).toBe(
    'Expected `._vectors.e` to be an array of floats, an array of arrays of floats, or an object ' +
      `with at least the field \`regenerate\`, but got the ${kind}`,
  )
})

test.each([
  ['null', 'null'],
  ['"x"', 'a string: `"x"`'],
  ['[1]', 'an array: `[1]`'],
  ['{"a":1}', 'an object: `{"a":1}`'],
  ['true', 'a boolean: `true`'],
  ['false', 'a boolean: `false`'],
  ['5', 'a positive integer: `5`'],
  ['-5', 'a negative integer: `-5`'],
  ['-0.5', 'a number: `-0.5`'],
])('%s in place of another type', (json, kind) => {
  const bytes = Buffer.from(` ${json} `)
  expect(words(vectorsFault.wrongType(place, '[3]', 'a', bytes, 1, 1 + json.length))).toBe(
    `Invalid value type at \`._vectors.e[3]\`: expected a, but found ${kind}`,
  )
})

test('columns count from the value, and a colon may stand apart from its value', () => {
  const bytes = Buffer.from('   {"x" :  1}')
  expect(words(vectorsFault.unknownMember(place, bytes, 3, 11))).toBe(
    'Could not parse `._vectors.e`: trailing characters at line 1 column 6',
  )
  expect(words(vectorsFault.badRegenerate(place, bytes, 3, 11, 12))).toBe(
    'Could not parse `._vectors.e.regenerate`: invalid type: integer `1`, expected a boolean ' +
      'at line 1 column 9',
  )
})

test.each([
  [DIMENSIONS_MAX, '65536'],
  [DIMENSIONS_MAX + 1, 'at most 65536'],
])('a vector that should have %i dimensions, of which %s are allowed', (wanted, words) => {
  expect(vectorsFault.dimensions(place, 1, 3, wanted).message).toBe(
    'Invalid vector dimensions in document with id `7` in `._vectors.e`.\n' +
      '  - note: embedding #1 has dimensions 3\n' +
      `  - note: embedder \`e\` requires ${words}`,
  )
})

test('hints name fields and entries at most two edits away, with their counts', () => {
  const hints = new NameHints()
  hints.count(
    ['_vectors', '_vector', '_vecs', 'vectrs', 'vectr', 'id'],
    ['ee', 'eee', 'eeee', 'other'],
  )
  hints.count(['_vector', '_vectr'], ['e'])
  const hint = (name: string, wanted: string, count: number) =>
    `\n- Hint: try replacing \`${name}\` by \`${wanted}\` in ${count} document(s).`
  expect(hints.textFor('e')).toBe(
    [
      hint('_vector', '_vectors', 2),
      hint('vectrs', '_vectors', 1),
      hint('_vectors.ee', '_vectors.e', 1),
      hint('_vectors.eee', '_vectors.e', 1),
      hint('_vectr', '_vectors', 1),
      hint('_vectors.e', '_vectors.e', 1),
    ].join(''),
  )
  expect(new NameHints().textFor('e')).toBe('')
})

test.each([
  [0, '', '`7`\n', 'Hint: opt-out for a document with `_vectors.e: null`'],
  [2, '\n- Hint: h', '`7` and at least 2 other document(s)\n', 'Hint: h'],
])('%d other documents without vectors, hints "%s"', (others, hints, documents, end) => {
  const { message } = noVectorsFault('e', '7', others, hints)
  expect(message).toContain(documents)
  expect(message.endsWith(`\n- ${end}`)).toBe(true)
})
