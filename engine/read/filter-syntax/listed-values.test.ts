// Lists of values store offsets into the text; they return the texts of the tokens.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { type FilterInput, parseFilter } from '../filter/input.ts'
import { ListedValues } from './listed-values.ts'
import { leaves } from './tree.ts'
import { filterWording } from './wording.ts'

const input: FilterInput = {
  wording: filterWording('search', 'parsing', asIndexUid('x')),
  features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
  takesForeign: true,
}

/** A quoted text as filters write it. */
const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

function valuesOf(filter: string): ListedValues {
  const [leaf] = leaves(parseFilter(filter, input)!)
  if (leaf?.kind !== 'in') throw new Error('the filter is a list')
  return leaf.values
}

describe('listed values', () => {
  it('are the quoted texts of the list', () => {
    const texts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '')))
    fc.assert(
      fc.property(texts, (given) => {
        const values = valuesOf(`n IN [${given.map(quote).join(', ')}]`)
        expect([...values]).toEqual(given)
        expect(values.length).toBe(given.length)
        expect(given.map((_, i) => values.text(i))).toEqual(given)
      }),
    )
  })

  it('may be empty', () => {
    expect([...new ListedValues()]).toEqual([])
  })
})
