// Lists built from other lists.
import { expect, it } from 'vitest'
import { mapped } from './index.ts'

it('makes an item of each item and its place', () => {
  expect(mapped(['a', 'b'], (item, at) => item + at)).toEqual(['a0', 'b1'])
  expect(mapped([], () => 0)).toEqual([])
})
