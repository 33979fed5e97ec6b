// The weights of attributes, and the parameters of `bm25`.
import { expect, it } from 'vitest'
import { isValid } from '../../../format/schema/index.ts'
import { TEXT_TOOLS } from '../schema/index.ts'
import { attributeWeights, weightIn } from './attribute-weights.ts'
import { similarity } from './similarity.ts'

it.each([
  [{}, 'a', 1],
  [{ a: 2 }, 'a', 2],
  [{ a: 2 }, 'a.b', 2],
  [{ a: 2 }, 'ab', 1],
  [{ a: 2 }, 'b', 1],
  [{ '*': 0.5 }, 'a', 0.5],
  [{ '*': 0.5, a: 2 }, 'a', 2],
  [{ a: 2, '*': 0.5 }, 'a.b', 2],
  [{ a: 2, 'a.b': 3 }, 'a.b.c', 3],
  [{ 'a.b': 3, a: 2 }, 'a.b.c', 3],
  [{ 'a.b': 3, a: 2 }, 'a.c', 2],
  [{ a: 0 }, 'a', 0],
])('%j gives %s the weight %f', (weights, field, weight) => {
  expect(weightIn(weights, field)).toBe(weight)
})

it('weights are replaced as a whole', () => {
  expect(attributeWeights.merge({ a: 1 }, { b: 2 }, TEXT_TOOLS)).toEqual({ b: 2 })
  expect(attributeWeights.fieldNames!({ b: 2, a: 1 })).toEqual(['b', 'a'])
  expect(isValid(attributeWeights.stored, { a: 'x' })).toBe(false)
})

it.each([
  [{}, { k1: 2, b: 0.5 }],
  [{ k1: 0 }, { k1: 0, b: 0.5 }],
  [{ b: 1 }, { k1: 2, b: 1 }],
  [{ k1: null }, { k1: 1.2, b: 0.5 }],
  [{ b: null }, { k1: 2, b: 0.75 }],
])('a change %j of the parameters gives %j', (patch, expected) => {
  expect(similarity.merge({ k1: 2, b: 0.5 }, patch, TEXT_TOOLS)).toEqual(expected)
})

it('settings of our own are left out unless they are set', () => {
  expect([similarity, attributeWeights].map((one) => one.isLeftOutUnlessSet)).toEqual([true, true])
})
