// Documents that are taken and removed in any order, against sets that are subtracted at once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sample } from '../../../format/idset/test-support.ts'
import { LeftDocuments } from './left-documents.ts'

const step = fc.record({ set: sample, way: fc.constantFrom('take', 'remove', 'read') })

it('has the documents that were not taken or removed', () => {
  fc.assert(
    fc.property(sample, fc.array(step, { maxLength: 6 }), (all, steps) => {
      const left = new LeftDocuments(all.set)
      let expected = all.set
      let takes = 0
      for (const { set, way } of steps) {
        if (way === 'take') {
          const ids = set.set.and(expected)
          left.take(ids)
          expected = expected.andNot(ids)
          takes++
        } else if (way === 'remove') {
          left.remove(set.set)
          expected = expected.andNot(set.set)
        } else expect(left.read().equals(expected)).toBe(true)
        expect(left.isEmpty).toBe(expected.isEmpty)
        expect(left.takes).toBe(takes)
      }
      expect(left.read().equals(expected)).toBe(true)
    }),
  )
})
