// Bodies: which the fast way reads, which faults have a place, and where the limits are.
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../errors/index.ts'
import { exactBody, readBody } from './body.ts'
import { isQuick, scanBody } from './body-scan.ts'
import { compactText, membersOf } from './json-value.ts'
import {
  BRACKETS_MAX,
  DEPTH_MAX,
  QUICK_BRACKETS_MAX,
  QUICK_VALUES_MAX,
  VALUES_MAX,
} from './limits.ts'
import { object, required } from './object-schemas.ts'
import { misread, readUpTo, shownKind } from './place.ts'
import { count, list } from './schemas.ts'

const utf8 = new TextEncoder()
const scan = (text: string) => scanBody(utf8.encode(text))
const refusalOf = (run: () => unknown): readonly [code: string, message: string] | null => {
  try {
    run()
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [error.code, error.message]
  }
}
const ones = (length: number): string => `[${Array<string>(length).fill('1').join()}]`

describe('a scan', () => {
  test.each([
    ['{}', 2, 1, 1],
    ['7', 1, 0, 0],
    ['[1,[2],{"a":[3]}]', 7, 4, 3],
    ['[[],[]]', 5, 3, 2],
    ['{"a,[{":"\\"[,","b":[]}', 4, 2, 2],
  ])('of %s counts', (text, values, brackets, depth) => {
    expect(scan(text)).toMatchObject({ values, brackets, depth })
  })

  test('ends where a limit is exceeded', () => {
    expect(scan(`[${','.repeat(VALUES_MAX + 9)}`).values).toBe(VALUES_MAX + 3)
    expect(scan('['.repeat(BRACKETS_MAX + 9)).brackets).toBe(BRACKETS_MAX + 1)
  })

  const fifteen = '123456789012345'
  test.each([
    ['1 -1 0 1.5 -0.5 0.01 1.05 true E e -01', true],
    [`${fifteen} 0.${fifteen}67 ${fifteen},${fifteen}`, true],
    ['1e-3, [1e-10, [1e-05, "1.0" "1e5" "-0"', true],
    ['"\\ud7ff" "\\ue000" "\\\\ud800" "\\n"', true],
    [`${fifteen}6`, false],
    [`-${fifteen}6.5`, false],
    ['1.0', false],
    ['1.00', false],
    ['1e3', false],
    ['1E3', false],
    ['1e+3', false],
    ['10e-1', false],
    ['1e-0', false],
    ['1e-300', false],
    ['-0', false],
    ['"\\ud83d"', false],
    ['"\\uDFFF"', false],
  ])('says whether %s is plain', (text, isPlain) => {
    expect(scan(text).isPlain).toBe(isPlain)
  })

  test.each([
    ['{"1":0}', true],
    ['{"\\u0031":0}', true],
    ['{"1" \n:0}', true],
    ['{"9a":0}', true],
    ['{"a":"1"}', false],
    ['["1","2"]', false],
    ['{"a1":0}', false],
    ['{"":1}', false],
  ])('says whether a name of %s may begin with a digit', (text, hasDigitNames) => {
    expect(scan(text).hasDigitNames).toBe(hasDigitNames)
  })

  test('finds a body quick up to a number of values and of brackets', () => {
    const quick = (text: string): boolean => isQuick(utf8.encode(text))
    // The bracket counts as a value.
    expect(quick(ones(QUICK_VALUES_MAX - 1))).toBe(true)
    expect(quick(ones(QUICK_VALUES_MAX))).toBe(false)
    const lists = (length: number): string =>
      `[${Array<string>(length - 1)
        .fill('[]')
        .join()}]`
    expect(quick(lists(QUICK_BRACKETS_MAX))).toBe(true)
    expect(quick(lists(QUICK_BRACKETS_MAX + 1))).toBe(false)
    expect([quick('{"a":1.0}'), quick('{"1":2}'), quick('{"a":1}')]).toEqual([false, false, true])
  })
})

describe('a body', () => {
  const schema = object<{ readonly a: number }>({ a: required(count, 'invalid_search_limit') })
  const read = (text: string) => refusalOf(() => readBody(utf8.encode(text), schema))

  test.each([
    ['{"a":1}', null],
    ['', ['missing_payload', 'A json payload is missing.']],
    [
      '{"a":}',
      [
        'malformed_payload',
        'The json payload provided is malformed. `expected value at line 1 column 6`.',
      ],
    ],
    ['{}', ['bad_request', 'Missing field `a`']],
    [
      '{"a":true}',
      [
        'invalid_search_limit',
        'Invalid value type at `.a`: expected a positive integer, but found a boolean: `true`',
      ],
    ],
    [
      '{"a":1.0}',
      [
        'invalid_search_limit',
        'Invalid value type at `.a`: expected a positive integer, but found a number: `1.0`',
      ],
    ],
    // The exact reader reports the first fault, the fast one that of the smallest number.
    ['{"a":1,"2":0,"1":0}', ['bad_request', 'Unknown field `2`: expected one of `a`']],
  ])('%s has its first fault', (text, refusal) => {
    expect(read(text)).toEqual(refusal)
  })

  test('has the code of its reader where no member has one', () => {
    const body = utf8.encode('[1,"x"]')
    expect(refusalOf(() => readBody(body, list(count), 'invalid_settings_stop_words'))?.[0]).toBe(
      'invalid_settings_stop_words',
    )
    expect(refusalOf(() => readBody(body, list(count)))?.[0]).toBe('bad_request')
  })

  test('that is not UTF-8 is malformed', () => {
    const body = Uint8Array.of(0x22, 0xff, 0x22)
    expect(refusalOf(() => exactBody(body))?.[0]).toBe('malformed_payload')
  })

  test('may have a number of values, of brackets, and a depth', () => {
    const refused = (text: string): string =>
      refusalOf(() => exactBody(utf8.encode(text)))?.[1] ?? ''
    expect(refused(ones(VALUES_MAX - 1))).toBe('')
    expect(refused(ones(VALUES_MAX))).toBe(
      'The json payload holds too many values (limit: 1000000).',
    )
    expect(
      refused(
        `[${Array<string>(BRACKETS_MAX - 1)
          .fill('[]')
          .join()}]`,
      ),
    ).toBe('')
    expect(refused(`[${Array<string>(BRACKETS_MAX).fill('[]').join()}]`)).toBe(
      'The json payload holds too many arrays and objects (limit: 200000).',
    )
    expect(refused('['.repeat(DEPTH_MAX) + ']'.repeat(DEPTH_MAX))).toBe('')
    expect(refused('['.repeat(DEPTH_MAX + 1) + ']'.repeat(DEPTH_MAX + 1))).toContain('recursion')
  })

  test('that is read exactly keeps its order and the spelling of its numbers', () => {
    const text = '{"b":1.0,"10":18446744073709551615,"9":{"a":-0}}'
    const value = exactBody(utf8.encode(text)) as never
    expect(membersOf(value)).toEqual(['b', '10', '9'])
    expect(compactText(value)).toBe(text.replace('-0', '-0.0'))
    expect(exactBody(utf8.encode('{"b":1,"a":[null]}'))).toEqual({ b: 1, a: [null] })
  })
})

describe('a place in a body', () => {
  const text = ' {\n "a" : [1],\n"b":{"c":"x\\"y" , "d" : 12,"c": true} }'
  test.each<[readonly string[], string]>([
    [[], ' '],
    [['a'], ' {\n "a" : '],
    [['b'], ' {\n "a" : [1],\n"b":'],
    [['b', 'd'], ' {\n "a" : [1],\n"b":{"c":"x\\"y" , "d" : 12'],
    // The last of equal names counts.
    [['b', 'c'], ' {\n "a" : [1],\n"b":{"c":"x\\"y" , "d" : 12,"c": true'],
    [['b', 'e'], text],
    [['a', 'b'], text],
    [['b', 'd', 'x'], text],
  ])('%j is behind a scalar, and in front of a list or an object', (path, before) => {
    expect(text.slice(0, readUpTo(utf8.encode(text), path))).toBe(before)
  })

  test.each([
    [0, 'line 1 column 0'],
    [2, 'line 1 column 2'],
    [3, 'line 2 column 0'],
    [13, 'line 2 column 10'],
    [15, 'line 3 column 0'],
    [16, 'line 4 column 0'],
    [19, 'line 4 column 3'],
  ])('%i is a line and the bytes read of it', (end, place) => {
    const lines = utf8.encode(' {\n "a" : [1],\n\n"b"\n')
    expect(misread(lines, 'wrong', end).message).toBe(`Json deserialize error: wrong at ${place}`)
  })

  test.each([
    ['"a"', 'string "a"'],
    ['true', 'boolean `true`'],
    ['12', 'integer `12`'],
    ['1.5', 'floating point `1.5`'],
    ['1.0', 'floating point `1.0`'],
    ['18446744073709551615', 'integer `18446744073709551615`'],
    ['null', 'null'],
    ['[1]', 'sequence'],
    ['{}', 'map'],
  ])('shows the type of %s', (json, shown) => {
    expect(shownKind(exactBody(utf8.encode(json)))).toBe(shown)
  })
})
