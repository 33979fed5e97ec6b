// Conditions on one element: which documents they find, before and after updates and merges, against
// a model that follows the definition; and the messages for wrong ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyBatches, anyCondition, ElementsIndex, textOf } from './test-elements.ts'

describe('conditions on one element', () => {
  it('find what the definition says', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyBatches,
        fc.array(anyCondition, { minLength: 4, maxLength: 8 }),
        async (batches, conditions) => {
          const elements = new ElementsIndex()
          const check = (): void => {
            for (const condition of conditions) {
              const filter = textOf(condition)
              expect(elements.found(filter), filter).toEqual(elements.expected(condition))
            }
          }
          for (const batch of batches) {
            await elements.run(batch)
            check()
          }
          await elements.index.merge()
          check()
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('a wrong condition on one element', () => {
  const elements = new ElementsIndex()
  const message = (filter: string): string => {
    try {
      elements.found(filter)
    } catch (error) {
      return (error as Error).message
    }
    return 'no fault'
  }

  it('names the attribute that is not filterable, with its path', () => {
    expect(message('a[x = 1 AND b.c = 2] OR z[y = 1]')).toBe(
      'Attribute `z.y` is not filterable. Available filterable attribute patterns are: ' +
        '`a`, `b`, `x`, `y`. Names between `[` and `]` begin below the path in front: add `z.y`, ' +
        'or a name above it, to the `filterableAttributes` index settings.\n' +
        '27:28 a[x = 1 AND b.c = 2] OR z[y = 1]',
    )
    expect(message('z[_geoRadius(1, 2, 3)]')).toContain('Attribute `z._geo` is not filterable.')
    expect(message('a[_shard = x]')).toBe('no fault')
    expect(message('z[_vectors EXISTS]')).toContain('Attribute `z._vectors` is not filterable.')
  })

  it('says what is expected in the brackets', () => {
    for (const wrong of ['a[]', 'a[ ] = 1', 'a[0].x = 1', 'b.a[*].x = 1']) {
      expect(message(wrong)).toContain(
        `Expected a condition on the attributes of one element after \`[\`: \`a[attribute = value]\`.`,
      )
    }
    expect(message('a[x = 1')).toBe(
      'Expected `]` after the condition on one element, or `AND` or `OR` and another one, ' +
        'but instead found nothing.\n8:8 a[x = 1',
    )
    expect(message('a[x = 1, y = 2]')).toContain('but instead found `, y = 2]`.')
    expect(message('a[x]')).toContain('Was expecting an operation')
    expect(message('a[x = 1]]')).toContain('Found unexpected characters at the end of the filter')
    const deep = `${'a['.repeat(200)}x = 1${']'.repeat(200)}`
    expect(message(deep)).toContain('The filter exceeded the maximum depth limit.')
  })
})
