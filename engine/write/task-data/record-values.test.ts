// Values of records that years or other builds may have changed.
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { object, text } from '../../../format/schema/index.ts'
import { utf8Of } from '../../../format/tasks/index.ts'
import { badRecord, contentAs, contentJson, flagIf } from './record-values.ts'
import { parsedRecord, readResults } from './remote-results.ts'
import { inSlices } from './slices.ts'
import { renamedSwaps } from './swaps.ts'
import { viewOf } from './test-tasks.ts'

it('a flag is its bit or nothing', () => {
  expect([flagIf(true, 8), flagIf(false, 8)]).toEqual([8, 0])
})

describe('the content of a record', () => {
  const schema = object<{ readonly url: string }>({ url: text })
  const of = (content: string | null) =>
    viewOf(1, { content: content === null ? null : utf8Of(content) })

  it('is JSON, checked by a schema', () => {
    expect(contentJson(of('[1]'))).toEqual([1])
    expect(contentAs(schema, of('{"url":"u"}'))).toEqual({ url: 'u' })
  })

  it.each([null, '{', '{"url":1}', '[]'])('is refused: %j', (content) => {
    expect(() => contentAs(schema, of(content))).toThrow(CorruptionError)
  })

  it('is refused with its number, or with the type of another value', () => {
    expect(() => badRecord('a count', 7)).toThrow('expected a count, got 7')
    expect(() => badRecord('a count', ['secret'])).toThrow('expected a count, got object')
  })
})

describe('answers of remotes', () => {
  const error = { message: 'm', code: 'c', type: 't', link: 'l' }

  it.each([
    {},
    { a: { taskUid: 4, error: null } },
    { a: { taskUid: 4, error: null }, b: { error, isFinal: true } },
    { b: { error: { ...error, more: 1 }, isFinal: false } },
  ])('are read: %j', (answers) => {
    expect(readResults(JSON.stringify(answers))).toEqual(answers)
  })

  it.each([
    'x',
    'null',
    '[]',
    '1',
    '{"a":null}',
    '{"a":{"taskUid":4}}',
    '{"a":{"taskUid":4,"error":null},"b":{"error":null}}',
    JSON.stringify({ b: { error } }),
    JSON.stringify({ b: { error: { ...error, link: 1 }, isFinal: true } }),
  ])('are refused: %s', (written) => {
    expect(() => readResults(written)).toThrow(CorruptionError)
  })

  it('are JSON', () => {
    expect(parsedRecord('{"a":1}')).toEqual({ a: 1 })
    expect(() => parsedRecord('{')).toThrow(CorruptionError)
  })
})

it('swaps have the present names of their pairs', () => {
  const swaps = [{ rename: true }, { rename: false }]
  expect(renamedSwaps(swaps, ['a', 'b', 'c', 'd'])).toEqual([
    { indexes: ['a', 'b'], rename: true },
    { indexes: ['c', 'd'], rename: false },
  ])
})

it('long work lets other work run after each step', async () => {
  const seen: string[] = []
  function* steps(): Generator<void, void> {
    for (const step of [1, 2]) {
      setImmediate(() => seen.push(`other ${step}`))
      seen.push(`step ${step}`)
      yield
    }
  }
  await inSlices(steps())
  expect(seen).toEqual(['step 1', 'other 1', 'step 2', 'other 2'])
})
