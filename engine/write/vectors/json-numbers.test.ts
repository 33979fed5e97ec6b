// Arrays of numbers as 32-bit floats, compared with the parser of the platform.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numbersOf } from './json-numbers.ts'

const parsed = (json: string) => numbersOf(Buffer.from(json), 0)
const expected = (texts: readonly string[]) => texts.map((text) => Math.fround(Number(text)))

test.each([
  '0',
  '-0',
  '7',
  '-12.5',
  '0.1',
  '1e3',
  '1E3',
  '1e+3',
  '25e-1',
  '1.5e2',
  '-1e-3',
  '1e22',
  '1e23',
  '1e-22',
  '1e-23',
  '1e-50',
  '1e400',
  '-1e400',
  '1e99999',
  '1e-99999',
  '0.00000000000000000000001',
  '12345678901234567',
  '123456789012345678',
  '123456789012345678901234',
  '1.2345678901234567891',
  '0.000000123456789012345678',
  '100000000000000000000000000000',
  '3.4028235e38',
  '3.5e38',
  '16777217',
  '0e5',
  '10.10',
])('%s', (text) => {
  const { numbers, fault } = parsed(`[${text}]`)
  expect([[...numbers], fault]).toEqual([expected([text]), null])
})

test('any numbers, with space between them', () => {
  const digits = fc.stringMatching(
    /^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,24})?(?:[eE][+-]?[0-9]{1,2})?$/,
  )
  const space = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(fc.array(digits, { maxLength: 200 }), space, space, (texts, before, after) => {
      const json = `[${before}${texts.join(`${before},${after}`)}${after}]`
      const { numbers, fault } = parsed(json)
      expect(fault).toBeNull()
      const wanted = expected(texts)
      expect(numbers.length).toBe(wanted.length)
      // The last bit may differ: numbers are rounded twice.
      numbers.forEach((number, i) => {
        if (number === wanted[i]) return
        expect(Math.abs(number - wanted[i]!)).toBeLessThanOrEqual(Math.abs(wanted[i]!) * 2 ** -23)
      })
    }),
  )
})

test.each([
  ['["x"]', 0, 1],
  ['[1,null]', 1, 3],
  ['[1, 2 , [3]]', 2, 8],
  ['[true]', 0, 1],
  ['[{}]', 0, 1],
])('%s has an item of another type', (json, item, at) => {
  expect(parsed(json).fault).toEqual({ item, at })
})

test.each([63, 64, 65, 128, 129])('%d numbers', (count) => {
  const all = Array.from({ length: count }, (_, i) => i)
  expect([...parsed(JSON.stringify(all)).numbers]).toEqual(all)
})
