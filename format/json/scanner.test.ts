// The checking reader: messages and positions, the same for every division into chunks, and
// agreement with JSON.parse.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultText, findFault, JsonScanner } from './index.ts'
import type { JsonTextKind } from './scanner.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

type Outcome = { readonly fault: string | null; readonly documents: readonly string[] }

/** Scans bytes in chunks of at most `size`. */
function scan(bytes: Uint8Array, kind: JsonTextKind, size = Infinity): Outcome {
  const scanner = new JsonScanner(kind)
  const documents: string[] = []
  const note = (): void => {
    const { documentStart: from, documentEnd: to } = scanner
    documents.push(new TextDecoder().decode(bytes.subarray(from, to)))
  }
  for (let at = 0; at < bytes.length; at += size) {
    // A copy that is overwritten afterwards: the scanner must not keep bytes of a chunk.
    const chunk = bytes.slice(at, Math.min(bytes.length, at + size))
    scanner.feed(chunk)
    while (scanner.next()) note()
    chunk.fill(0x30)
  }
  if (scanner.finish()) note()
  return { fault: scanner.fault === null ? null : faultText(scanner.fault), documents }
}

const arrays = (n: number): string => '['.repeat(n) + ']'.repeat(n)

const values: readonly (readonly [string, string | null])[] = [
  ['', 'EOF while parsing a value at line 1 column 0'],
  ['   ', 'EOF while parsing a value at line 1 column 3'],
  ['\n', 'EOF while parsing a value at line 2 column 0'],
  ['{"a":', 'EOF while parsing a value at line 1 column 5'],
  ['[1,2', 'EOF while parsing a list at line 1 column 4'],
  ['[5,', 'EOF while parsing a value at line 1 column 3'],
  ['[', 'EOF while parsing a list at line 1 column 1'],
  ['{', 'EOF while parsing an object at line 1 column 1'],
  ['{"facetName"', 'EOF while parsing an object at line 1 column 12'],
  ['{"stopWords":["a"]', 'EOF while parsing an object at line 1 column 18'],
  ['{"id":1,', 'EOF while parsing a value at line 1 column 8'],
  ['nul', 'EOF while parsing a value at line 1 column 3'],
  ['"open', 'EOF while parsing a string at line 1 column 5'],
  ['"\\u12', 'EOF while parsing a string at line 1 column 5'],
  ['"\\', 'EOF while parsing a string at line 1 column 2'],
  ['-', 'EOF while parsing a value at line 1 column 1'],
  ['1.', 'EOF while parsing a value at line 1 column 2'],
  ['1e', 'EOF while parsing a value at line 1 column 2'],
  [' {} x', 'trailing characters at line 1 column 5'],
  ['1 2', 'trailing characters at line 1 column 3'],
  ['{"a":1,}', 'trailing comma at line 1 column 8'],
  ['[1,]', 'trailing comma at line 1 column 4'],
  ['{"q":[1,]}', 'trailing comma at line 1 column 9'],
  ['{q:1}', 'key must be a string at line 1 column 2'],
  ["{'q':1}", 'key must be a string at line 1 column 2'],
  ['NaN', 'expected value at line 1 column 1'],
  ['\ufeff{}', 'expected value at line 1 column 1'],
  ['{"a" 1}', 'expected `:` at line 1 column 6'],
  ['{"a":1 "b":2}', 'expected `,` or `}` at line 1 column 8'],
  ['[1 2]', 'expected `,` or `]` at line 1 column 4'],
  ['[1}', 'expected `,` or `]` at line 1 column 3'],
  ['{"metrics":tru}', 'expected ident at line 1 column 15'],
  ['[\n1,\n  tru]', 'expected ident at line 3 column 6'],
  ['nul\n', 'expected ident at line 2 column 0'],
  ['01', 'invalid number at line 1 column 2'],
  ['[1.]', 'invalid number at line 1 column 4'],
  ['[-x]', 'invalid number at line 1 column 3'],
  ['[1e+]', 'invalid number at line 1 column 5'],
  ['[1.5e]', 'invalid number at line 1 column 6'],
  ['+1', 'expected value at line 1 column 1'],
  ['.5', 'expected value at line 1 column 1'],
  ['"a\\x"', 'invalid escape at line 1 column 4'],
  ['"a\\\n"', 'invalid escape at line 2 column 0'],
  ['"\\u1\n2"', 'invalid escape at line 2 column 2'],
  ['"\\u12"', 'EOF while parsing a string at line 1 column 6'],
  ['"\\u12"  ', 'invalid escape at line 1 column 7'],
  ['{"q":"\\ud83d"}', 'unexpected end of hex escape at line 1 column 13'],
  ['"\\ud83d\\n"', 'unexpected end of hex escape at line 1 column 9'],
  ['"\\ude00"', 'lone leading surrogate in hex escape at line 1 column 7'],
  ['"\\ud83d\\u0041"', 'lone leading surrogate in hex escape at line 1 column 13'],
  ['"\\ud83d\\ude00"', null],
  [
    '"a\tb"',
    `${'control character (\\u0000-\\u001F) found while parsing a string'} at line 1 column 3`,
  ],
  [
    '"a\nb"',
    `${'control character (\\u0000-\\u001F) found while parsing a string'} at line 2 column 0`,
  ],
  ['1e999', 'number out of range at line 1 column 5'],
  ['[-1e400]', 'number out of range at line 1 column 7'],
  [`[${'9'.repeat(400)}]`, 'number out of range at line 1 column 401'],
  ['1e308', null],
  ['1e-400', null],
  [`${'1'.repeat(400)}e-300`, null],
  [arrays(127), null],
  [arrays(128), 'recursion limit exceeded at line 1 column 128'],
  [`{"filter":${arrays(127)}}`, 'recursion limit exceeded at line 1 column 137'],
  ['{}\n\n  ', null],
  ['{"limit":1,"limit":2}', null],
  ['{"__proto__":{"x":[null,true,false,-0.5E+3]}}', null],
]

const uploads: readonly (readonly [string, string | null, number])[] = [
  ['[{"id":1}', 'EOF while parsing a list at line 1 column 9', 1],
  ['[{"id":1},]', 'trailing comma at line 1 column 11', 1],
  ['[{"id":1,}]', 'key must be a string at line 1 column 10', 0],
  ['[,]', 'expected value at line 1 column 2', 0],
  ['[{"a":[1,]}]', 'expected value at line 1 column 10', 0],
  ['[{"a":1,', 'EOF while parsing an object at line 1 column 8', 0],
  ['[{"a":1.', 'invalid number at line 1 column 8', 0],
  ['{"id":1} {"id":2}', 'trailing characters at line 1 column 10', 1],
  ['{"id":1}}', 'trailing characters at line 1 column 9', 1],
  ['{"id":1,}', 'trailing comma at line 1 column 9', 0],
  ['[{"id":1}] x {', null, 1],
  ['[{"id":1}] , 2', 'trailing characters at line 1 column 12', 1],
  ['[{"id":1}]\n{"id":2}', 'trailing characters at line 2 column 1', 1],
  ['[{"id":1}][{"id":2}]', 'trailing characters at line 1 column 11', 1],
  ['[{"id":1}]\0\xff', null, 1],
  ['[{"id":1}] \r\n\t', null, 1],
  [
    '[{"id":"a\nb"}]',
    `${'control character (\\u0000-\\u001F) found while parsing a string'} at line 1 column 9`,
    0,
  ],
  ['[{"id":"\\u12"}]', 'invalid escape at line 1 column 14', 0],
  [`{"id":1,"d":${arrays(126)}}`, null, 1],
  [`{"id":127,"d":${arrays(127)}}`, 'recursion limit exceeded at line 1 column 141', 0],
  [`[{"id":127,"d":${arrays(126)}}]`, null, 1],
  [`[{"id":127,"d":${arrays(127)}}]`, 'recursion limit exceeded at line 1 column 142', 0],
  ['null', null, 1],
  ['-1.5', null, 1],
  ['[]', null, 0],
  ['[1,"a",[{}],{}]', null, 4],
]

const streams: readonly (readonly [string, string | null, number])[] = [
  ['', null, 0],
  [' \n\t ', null, 0],
  ['{"id":8} {"id":9}', null, 2],
  ['{"id":10}{"id":11}\r\n', null, 2],
  ['{"id":12,\n"a":\n1}\n{"id":13}', null, 2],
  ['{"id":16},\n{"id":17}', 'expected value at line 1 column 10', 1],
  ['{"id":26}\n{"id":', 'EOF while parsing a value at line 2 column 6', 1],
  ['{"id":27}\n{id:28}', 'key must be a string at line 2 column 2', 1],
  ['{"id":29}\n{"id":30}}', 'expected value at line 2 column 10', 2],
  ['{"id":32,}', 'key must be a string at line 1 column 10', 0],
  ['{"a":"b"\n{"id":61}', 'expected `,` or `}` at line 2 column 1', 0],
  ['{"id":63}\0', 'expected value at line 1 column 10', 1],
  ['{"id":64}\u00a0{"id":65}', 'expected value at line 1 column 10', 1],
  ['1 22 3', null, 3],
]

function expectOutcome(text: string, kind: JsonTextKind, fault: string | null, n: number): void {
  const bytes = encode(text)
  const whole = scan(bytes, kind)
  expect([whole.fault, whole.documents.length], text).toEqual([fault, n])
  for (const size of [1, 2, 3, 5, 8]) expect(scan(bytes, kind, size), text).toEqual(whole)
}

describe('one value', () => {
  for (const [text, fault] of values) {
    it(`${JSON.stringify(text).slice(0, 40)} → ${fault}`, () => {
      expectOutcome(
        text,
        'value',
        fault,
        fault === null ? 1 : Number(fault.startsWith('trailing ch')),
      )
      const found = findFault(encode(text))
      expect(found === null ? null : faultText(found)).toBe(fault)
    })
  }

  it('is accepted like by JSON.parse, except for depth, surrogates and infinities', () => {
    const mutated = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        fc.nat(200),
        fc.constantFrom(...'{}[],:"\\0e.-+tn u\n\u0001é'),
      )
      .map(([text, at, c]) => text.slice(0, at) + c + text.slice(at + 1))
    const soup = fc.array(
      fc.constantFrom(...'{}[],:"\\019e.-+ \n', 'true', 'null', '"a"', '\\u00e9'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          mutated,
          soup.map((all) => all.join('')),
        ),
        (text) => {
          let parsed = true
          try {
            JSON.parse(text)
          } catch (error) {
            // Only whether it throws matters.
            if (!(error instanceof SyntaxError)) throw error
            parsed = false
          }
          const outcome = scan(encode(text), 'value')
          const stricter = /surrogate|hex escape|out of range/.test(outcome.fault ?? '')
          if (!stricter) expect(outcome.fault === null).toBe(parsed)
          for (const size of [1, 2, 7]) expect(scan(encode(text), 'value', size)).toEqual(outcome)
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe('documents', () => {
  for (const [text, fault, n] of uploads) {
    it(`${JSON.stringify(text).slice(0, 40)} → ${fault}`, () => {
      expectOutcome(text, 'upload', fault, n)
    })
  }
  for (const [text, fault, n] of streams) {
    it(`stream ${JSON.stringify(text)} → ${fault}`, () => expectOutcome(text, 'stream', fault, n))
  }

  it('are found completely for any division into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(9), (docs, n) => {
        const texts = docs.map((document) => JSON.stringify(document))
        for (const kind of ['stream', 'upload'] as const) {
          const text =
            kind === 'stream' ? texts.join(' '.repeat(1 + (n % 3))) : `[${texts.join(' , ')}]`
          expect(scan(encode(text), kind, n + 1)).toEqual({ fault: null, documents: texts })
        }
      }),
    )
  })
})

describe('bytes that are not UTF-8', () => {
  const bad: readonly (readonly [JsonTextKind, readonly (string | number)[], string])[] = [
    ['upload', ['[{"id":1,"name":"caf', 0xe9, '"}]'], 'line 1 column 23'],
    ['upload', ['[{"id":2,"n', 0xff, 0xfe, '":1}]'], 'line 1 column 17'],
    ['upload', ['{"id":3,"name":"x', 0xe2, 0x82, '"}'], 'line 1 column 20'],
    ['upload', ['{"id":4,"name":"', 0xed, 0xa0, 0x80, '"}'], 'line 1 column 20'],
    ['stream', ['{"id":5}\n{"id":6,"a":"', 0xc0, 0xaf, '"}\n'], 'line 2 column 17'],
    ['value', ['{"q":"caf', 0xe9, '"}'], 'line 1 column 11'],
  ]
  for (const [kind, parts, place] of bad) {
    it(`${kind}: ${place}`, () => {
      const bytes = Uint8Array.from(
        parts.flatMap((p) => (typeof p === 'number' ? p : [...encode(p)])),
      )
      for (const size of [Infinity, 1, 2, 3]) {
        expect(scan(bytes, kind, size).fault).toBe(`invalid unicode code point at ${place}`)
      }
    })
  }

  it('behind a document leave it whole', () => {
    const fault = 'expected value at line 1 column 3'
    expect(scan(Uint8Array.of(0x7b, 0x7d, 0xff), 'stream')).toEqual({ fault, documents: ['{}'] })
  })
})
