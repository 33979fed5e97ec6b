// The texts of fields of stored records: which ones, in which order, within which limits.
import { describe, expect, it } from 'vitest'
import { encodeRecord } from '../../../format/documents/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { FieldTexts } from './field-texts.ts'
import { TEXTS_READ_MAX, VALUE_BYTES_MAX } from './limits.ts'

type Document = { readonly [name: string]: unknown }

/** A view of one document; without weights, fields are less important the later they come. */
function viewOf(
  names: readonly string[],
  document: Document,
  weightOf = (field: number): number => field,
): SearchableView {
  const values = Object.entries(document).map(
    ([name, value]) => [names.indexOf(name), Buffer.from(JSON.stringify(value))] as const,
  )
  const record = encodeRecord(values)
  const localizedAttributes = [{ attributePatterns: ['b*'], locales: ['jpn'] }]
  return {
    search: { fields: names, weightOf },
    view: { record: (id: number) => (id === 1 ? record : null) },
    settings: { ...defaultSettings(), localizedAttributes },
  } as unknown as SearchableView
}

const textsOf = (names: readonly string[], document: Document, fields: readonly number[]) =>
  [...new FieldTexts(viewOf(names, document), fields).of(1)].map(({ text }) => text)

describe('the texts of a document', () => {
  it('are those of the requested fields, the most important one first', () => {
    const document = { c: 'third', a: ['first', ['second']], b: 'not asked' }
    expect(textsOf(['a', 'b', 'c'], document, [2, 0])).toEqual(['first', 'second', 'third'])
    expect(textsOf(['a', 'b', 'c'], document, [])).toEqual([])
    const names = ['a']
    expect([...new FieldTexts(viewOf(names, { a: 'x' }), [0]).of(2)]).toEqual([])
    const weighed = viewOf(['a', 'b', 'c'], document, (field) => [2, 3, 1][field]!)
    const texts = [...new FieldTexts(weighed, [0, 2]).of(1)].map(({ text }) => text)
    expect(texts).toEqual(['third', 'first', 'second'])
  })

  it('have nested names, with dots in names or between them', () => {
    const names = ['a.b.c', 'a', 'a.b']
    const nested = {
      a: { b: { c: 'one' }, 'b.c': 'two', other: { b: 'no' } },
      'a.b': { c: 'three' },
    }
    expect(textsOf(names, nested, [0]).sort()).toEqual(['one', 'three', 'two'])
    const listed = { a: [{ b: [{ c: 'one' }, { c: 'two' }] }, 'no', null] }
    expect(textsOf(names, listed, [0])).toEqual(['one', 'two'])
    expect(textsOf(names, { a: { b: 'text' } }, [0])).toEqual([])
  })

  it('have the languages of their field', () => {
    const view = viewOf(['a', 'b'], { a: 'x', b: 'y' })
    expect([...new FieldTexts(view, [0, 1]).of(1)]).toEqual([
      { text: 'x', locales: null },
      { text: 'y', locales: ['jpn'] },
    ])
  })

  it('are strings of bounded number and size', () => {
    expect(textsOf(['a'], { a: [1, true, null, 'x', {}] }, [0])).toEqual(['x'])
    const many = Array.from({ length: TEXTS_READ_MAX + 5 }, (_, i) => `${i}`)
    expect(textsOf(['a'], { a: many }, [0])).toEqual(many.slice(0, TEXTS_READ_MAX))
    // With its quotes, the largest value that is read.
    const longest = 'x'.repeat(VALUE_BYTES_MAX - 2)
    expect(textsOf(['a', 'b'], { a: longest, b: 'y' }, [0, 1])).toEqual([longest, 'y'])
    expect(textsOf(['a', 'b'], { a: `${longest}x`, b: 'y' }, [0, 1])).toEqual(['y'])
  })
})
