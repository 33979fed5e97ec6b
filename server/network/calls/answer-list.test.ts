// Several answers in one body, written and read; bodies in other forms are refused.
import { expect, test } from 'vitest'
import { readAnswers, writeAnswers } from './answer-list.ts'

const answer = (status: number, text: string) => ({ status, bytes: Buffer.from(text) })
const bodyOf = (...answers: readonly ReturnType<typeof answer>[]): Buffer =>
  Buffer.concat(writeAnswers(answers))
const shown = (body: Uint8Array, count: number) =>
  readAnswers(body, count)?.map(({ status, bytes }) => [status, Buffer.from(bytes).toString()])

test.each([
  [[]],
  [[[200, '{}']]],
  [
    [
      [200, 'a\n'],
      [404, ''],
      [500, '\n\nb'],
    ],
  ],
] as const)('%j are read as they were written', (answers) => {
  const body = bodyOf(...answers.map(([status, text]) => answer(status, text)))
  expect(shown(body, answers.length)).toEqual(answers)
  expect(shown(body, answers.length + 1)).toBeUndefined()
  for (let length = 0; length < body.length; length++) {
    expect(shown(body.subarray(0, length), answers.length), `${length}`).toBeUndefined()
  }
  expect(shown(Buffer.concat([body, Buffer.from('x')]), answers.length)).toBeUndefined()
})

test('the head may have any members, up to a length that grows with the answers', () => {
  const padded = (length: number): Buffer => {
    const head = JSON.stringify({ answers: [{ status: 200, length: 1, b: 1 }] })
    return Buffer.from(`${head.padEnd(length)}\nx`)
  }
  expect(shown(padded(100), 1)).toEqual([[200, 'x']])
  expect(shown(padded(1087), 1)).toEqual([[200, 'x']])
  expect(shown(padded(1088), 1)).toBeUndefined()
})

test.each([
  '\n',
  'null\n',
  '{}\n',
  '{"answers":[{"status":200}]}\n',
  '{"answers":[{"status":200,"length":-1}]}\n',
  '{"answers":[{"status":200,"length":2}]}\nx',
  // A head without its end that describes the whole body.
  '{"answers":[{"status":200,"length":41}]}x',
])('%j is refused', (text) => {
  expect(readAnswers(Buffer.from(text), 1)).toBeNull()
})
