// Problems in the templates of a rest embedder: placeholders of the request and of the response.
import { describe, expect, test } from 'vitest'
import { restTemplateProblem } from './templates.ts'

const DOCUMENT_NOTE =
  '\n  - Note: this template is using a document template, and so expects to contain the ' +
  'placeholder "{{text}}" rather than "{{fragment}}"'
const FRAGMENT_NOTE =
  '\n  - Note: this template is using fragments, and so expects to contain the placeholder ' +
  '"{{fragment}}" rathern than "{{text}}"'
const REPEATED = ['{{text}}', '{{..}}']

describe('a request', () => {
  test.each<[unknown, string | null]>([
    ['{{text}}', null],
    [{ a: [1, null, { b: '{{text}}' }] }, null],
    [{ a: [...REPEATED, 'x'] }, null],
    [{ a: [{ b: ['x', '{{text}}'] }, '{{..}}', { c: 1 }], d: [] }, null],
    [{ '{{text}}': 1 }, 'in `request`: "{{text}}" not found'],
    [{ a: '{{..}}', b: '{{text}}' }, 'in `request.a`: "{{..}}" appears outside of an array'],
    ['{{..}}', 'in `request`: "{{..}}" appears outside of an array'],
    [['x', '{{..}}'], 'in `request[0]`: Expected "{{text}}" inside of the repeated value'],
    [
      ['x', '{{..}}', '{{text}}'],
      'in `request[0]`: Expected "{{text}}" inside of the repeated value',
    ],
    [
      { a: ['{{text}}', 'x'], b: '{{text}}' },
      'in `request.b`: Found "{{text}}", but it was already present in `request.a[0]`',
    ],
    [
      { a: REPEATED, b: '{{text}}' },
      'in `request.b`: Found "{{text}}", but it was already present in `request.a[0]` (repeated)',
    ],
    [
      { a: [...REPEATED, { b: 1 }, ['{{text}}']] },
      'in `request.a[3][0]`: Found "{{text}}", but it was already present in `request.a[0]` ' +
        '(repeated)',
    ],
    [
      { a: [...REPEATED, '{{text}}'] },
      'in `request.a[2]`: Found "{{text}}", but it was already present in `request.a[0]` ' +
        '(repeated)',
    ],
    [
      { a: REPEATED, b: REPEATED },
      'in `request.b`: Found "{{..}}", but it was already present in `request.a`',
    ],
    [
      { a: [REPEATED, '{{..}}'] },
      'in `request.a`: "{{..}}" appears nested inside of a value that is itself repeated',
    ],
    [
      [...REPEATED, '{{..}}'],
      'in `request`: "{{..}}" expected at position #1, but found at position #2',
    ],
    [
      { a: ['{{..}}', '{{text}}'] },
      'in `request.a`: "{{..}}" expected at position #1, but found at position #0',
    ],
  ])('%j', (request, problem) => {
    expect(restTemplateProblem(request, undefined, 'document')).toBe(
      problem === null ? null : problem + DOCUMENT_NOTE,
    )
  })

  test.each([
    ['{{fragment}}', 'fragments', null],
    ['{{fragment}}', 'unknown', null],
    ['{{text}}', 'unknown', null],
    ['{{fragment}}', 'document', `in \`request\`: "{{text}}" not found${DOCUMENT_NOTE}`],
    ['{{text}}', 'fragments', `in \`request\`: "{{fragment}}" not found${FRAGMENT_NOTE}`],
    ['x', 'unknown', `in \`request\`: "{{text}}" not found${DOCUMENT_NOTE}`],
    [
      { a: ['{{fragment}}', 'x', '{{fragment}}'] },
      'fragments',
      'in `request.a[2]`: Found "{{fragment}}", but it was already present in `request.a[0]`' +
        FRAGMENT_NOTE,
    ],
  ] as const)('%j with the input %s', (request, use, problem) => {
    expect(restTemplateProblem(request, undefined, use)).toBe(problem)
    expect(restTemplateProblem(request, '{{embedding}}', use)).toBe(problem)
  })
})

describe('a response', () => {
  const EMBEDDINGS = { data: [{ v: '{{embedding}}' }, '{{..}}'] }
  test.each<[unknown, unknown, string | null]>([
    [undefined, undefined, null],
    [undefined, '{{embedding}}', null],
    [undefined, EMBEDDINGS, null],
    [undefined, '{{text}}', 'in `response`: "{{embedding}}" not found'],
    ['{{text}}', { a: '{{..}}' }, 'in `response.a`: "{{..}}" appears outside of an array'],
    [REPEATED, EMBEDDINGS, null],
    ['{{text}}', { v: '{{embedding}}' }, null],
    [
      REPEATED,
      '{{embedding}}',
      'in `response`: `response` has a single embedding, but `request` has multiple texts to embed',
    ],
    [
      '{{text}}',
      EMBEDDINGS,
      'in `response`: `response` has multiple embeddings, but `request` has only one text to embed',
    ],
  ])('to %j: %j', (request, response, problem) => {
    expect(restTemplateProblem(request, response, 'unknown')).toBe(problem)
  })
})
