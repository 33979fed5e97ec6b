// Names and values of headers that settings may hold.
import { expect, test } from 'vitest'
import { headerNameProblem, headerValueProblem } from './header-rules.ts'

test.each([
  ['X-Token', null],
  ['', 'cannot be sent'],
  ['a b', 'cannot be sent'],
  ['a\n', 'cannot be sent'],
  ['ü', 'cannot be sent'],
  ['Content-Length', 'may not be set'],
  ['upgrade', 'may not be set'],
])('the name %j', (name, problem) => {
  expect(headerNameProblem(name)).toBe(problem)
})

test.each([
  ['', null],
  ['a key\twith ключ', null],
  ['key\n', 'must be removed'],
  ['key\r\n\r\n', 'must be removed'],
  ['\nkey', 'control character'],
  ['a\r\nX-Evil: 1', 'control character'],
  ['a\nb\n', 'control character'],
  ['a\u0000', 'control character'],
  ['a\u001bb', 'control character'],
  ['a\u007f', 'control character'],
])('the value %j', (value, problem) => {
  const found = headerValueProblem(value)
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})

test('a long run of line ends takes no long time', () => {
  expect(headerValueProblem(`${'\n'.repeat(1_000_000)}x`)).toContain('control character')
})
