// Templates and inputs may be nested exactly as deeply as JSON from clients.
import { expect, test } from 'vitest'
import { DEPTH_MAX, findFault } from '../../../format/json/index.ts'
import { TemplateFault } from './fault.ts'
import { sizeOfInput, sizeOfSource } from './size.ts'

const nested = (depth: number): string => `${'['.repeat(depth)}"a"${']'.repeat(depth)}`

test('templates, inputs and bodies may be nested equally deeply', () => {
  const deepest = nested(DEPTH_MAX)
  expect(findFault(Buffer.from(deepest))).toBeNull()
  expect([sizeOfSource(JSON.parse(deepest)), sizeOfInput(JSON.parse(deepest))]).toEqual([1, 1])
  const deeper = nested(DEPTH_MAX + 1)
  expect(findFault(Buffer.from(deeper))).not.toBeNull()
  expect(() => sizeOfSource(JSON.parse(deeper))).toThrow(TemplateFault)
  expect(() => sizeOfInput(JSON.parse(deeper))).toThrow(TemplateFault)
})
