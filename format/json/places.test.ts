// Where a scanner stands: inside of a document or not, in a list or not, and the places of faults
// that a caller finds; for every division into chunks.
import { describe, expect, it } from 'vitest'
import { faultText } from './faults.ts'
import { Canonical, canonicalText, compact, JsonBuffer, JsonScanner, Members } from './index.ts'
import { KeySet } from './keys.ts'
import type { JsonTextKind } from './scanner.ts'
import { skipSpace, skipString, skipValue } from './skip.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a scanner', () => {
  /** A mark below each byte: `d` if a document has begun and not ended behind it. */
  it.each<[JsonTextKind, string, string]>([
    ['value', '{"a": [1]} ', 'ddddddddd  '],
    ['value', ' "x\\n" ', ' dddd  '],
    ['upload', '[{"a":1}, 22 ,"x",[]] x', ' dddddd   dd  dd  d    '],
    ['upload', '{"a":1} ', 'dddddd  '],
    ['stream', '{} 22 {"a":[1]}\n', 'd  dd dddddddd  '],
    ['stream', 'true null', 'ddd  ddd '],
  ])('knows whether a document of a %s is open: %s', (kind, text, marks) => {
    const bytes = encode(text)
    for (const size of [1, 2, 3, bytes.length]) {
      const scanner = new JsonScanner(kind)
      for (let at = 0; at < bytes.length; at += size) {
        const chunk = bytes.slice(at, at + size)
        expect(scanner.base, 'the base of the next chunk').toBeLessThanOrEqual(at)
        scanner.feed(chunk)
        expect(scanner.base).toBe(at)
        while (scanner.next());
        const last = at + chunk.length - 1
        expect([last, scanner.inDocument], text).toEqual([last, marks[last] === 'd'])
      }
      scanner.finish()
      expect(scanner.fault).toBeNull()
    }
  })

  it('knows the first byte of a document, and whether it is in a list', () => {
    const read = (kind: JsonTextKind, text: string) => {
      const scanner = new JsonScanner(kind)
      scanner.feed(encode(text))
      const firsts: string[] = []
      const note = (): void =>
        void firsts.push(
          `${String.fromCharCode(scanner.documentFirst)}${scanner.inList ? '*' : ''}`,
        )
      while (scanner.next()) note()
      if (scanner.finish()) note()
      return firsts.join(' ')
    }
    expect(read('upload', '[{"a":1},2,"x",[3],null]')).toBe('{* 2* "* [* n*')
    expect(read('upload', '{"a":[1]}')).toBe('{')
    expect(read('value', '[{"a":1}]')).toBe('[')
    expect(read('stream', '[1] -2 {}')).toBe('[ - {')
  })

  it.each([1, 4, 100])('places faults of a caller beside the document (chunks of %i)', (size) => {
    const bytes = encode('[\n  {"a":1},\n {"b":\n2} ]')
    const scanner = new JsonScanner('upload')
    const places: string[] = []
    for (let at = 0; at < bytes.length; at += size) {
      scanner.feed(bytes.slice(at, at + size))
      while (scanner.next()) {
        for (const place of ['before', 'behind'] as const) {
          places.push(faultText(scanner.documentFault(place, place)))
        }
      }
    }
    expect(places).toEqual([
      'before at line 2 column 2',
      'behind at line 2 column 9',
      'before at line 3 column 1',
      'behind at line 4 column 2',
    ])
  })

  it.each([
    ['{"a":x', 'x'],
    ['{"a":1]', ']'],
    ['[1 \n2', '2'],
  ])('of %j names the wrong byte %j', (text, byte) => {
    const scanner = new JsonScanner('value')
    scanner.feed(encode(text))
    while (scanner.next());
    scanner.finish()
    expect(scanner.faultByte).toBe(byte.charCodeAt(0))
  })

  it('converts large numbers alone, also if a chunk cuts them', () => {
    const numbers = [
      '1e308',
      '9e307',
      '1e309',
      '-1e309',
      '1E+0309',
      '1e-999',
      '0e999',
      '17e307',
      '1e999',
    ]
    numbers.push(`${'9'.repeat(308)}`, `${'9'.repeat(309)}`, `0.${'0'.repeat(310)}1e400`)
    for (const number of numbers) {
      const isGood = Number.isFinite(Number(number))
      for (const text of [number, `[${number}]`, `{"a":${number} }`]) {
        const bytes = encode(text)
        for (let cut = 1; cut < bytes.length; cut += bytes.length > 50 ? 37 : 1) {
          const scanner = new JsonScanner('value')
          for (const chunk of [bytes.slice(0, cut), bytes.slice(cut)]) {
            scanner.feed(chunk)
            while (scanner.next());
          }
          scanner.finish()
          expect([text, cut, scanner.fault === null]).toEqual([text, cut, isGood])
        }
      }
    }
  })

  it('reads a chunk to its end before the next one', () => {
    const scanner = new JsonScanner('stream')
    scanner.feed(encode('1 2 '))
    expect(scanner.next()).toBe(true)
    expect(() => scanner.feed(encode('3'))).toThrow('to its end')
  })
})

describe('the end of a value', () => {
  it.each<[string, number]>([
    ['{"a":"}"} ', 9],
    ['["\\"]",[]]x', 10],
    ['-1.5e+7,', 7],
    ['true]', 4],
    ['"a\\\\"b', 5],
  ])('of %s is at %i', (text, end) => {
    expect(skipValue(encode(text), 0)).toBe(end)
  })

  it('is refused if it does not begin, or does not end', () => {
    for (const text of ['', ']', '{"a":1', '["a"', '"a', '"a\\"']) {
      expect(() => skipValue(encode(text), 0), text).toThrow('json')
    }
    expect(() => skipString(encode('"a\\'), 0)).toThrow('the end of a string')
    expect([skipSpace(encode(' \n x'), 0), skipSpace(encode('  '), 1)]).toEqual([3, 2])
  })
})

it('a value without brackets is compact as it is', () => {
  const out = new JsonBuffer(1)
  const bytes = encode(' "a b" , {"x" : "\\" y"}')
  compact(bytes, 1, 6, out)
  compact(bytes, 9, bytes.length, out)
  expect(Buffer.from(out.view()).toString()).toBe('"a b"{"x":"\\" y"}')
})

it('members are found by key and hash, with escapes in keys', () => {
  const members = new Members()
  const bytes = encode('{"ab":1,"a\\u0062c":2,"\\"":3}')
  members.scan(bytes, 0)
  const keys = ['ab', 'abc', '"', 'a', 'abcd', ''].map(encode)
  expect(keys.map((key) => members.find(key))).toEqual([0, 1, 2, -1, -1, -1])
  expect(keys.map((key) => members.keyIs(1, key))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ])
  expect(() => members.key(3)).toThrow('a member is read that exists')
  expect(() => members.key(-1)).toThrow('a member is read that exists')
  members.scan(encode('{"q":1,"ab":2}'), 0)
  expect(['q', 'ab', 'abc'].map((key) => members.find(encode(key)))).toEqual([0, 1, -1])
  members.scan(encode('{ }'), 0)
  expect(members.count).toBe(0)
  const wrong = (text: string) => () => members.scan(encode(text), 0)
  expect(wrong('{"a" 1}')).toThrow(/^json @5: bad_value, expected :, got 49$/)
  expect(wrong('{"a"')).toThrow(/^json @4: bad_value, expected :, got the end$/)
})

it('a set of keys forgets them, and gives back the memory of very many', () => {
  const keys = new KeySet()
  const add = (text: string): number => keys.add(encode(text), 0, encode(text).length)
  for (const count of [3, 10_000, 700]) {
    for (let i = 0; i < count; i++) expect(add(`k${i}`)).toBe(i)
    expect(add('k1')).toBe(1)
    expect(keys.count).toBe(count)
    keys.clear()
    expect(keys.count).toBe(0)
  }
  keys.clear()
  expect([add('b'), add(''), add('b'), add('')]).toEqual([0, 1, 0, 1])
})

it('canonical text of an object with a repeated key and others', () => {
  expect(canonicalText(encode('{"a":{"x":1},"b":[{"y":1,"y":2}],"a":3, "c" : "\\u00e9"}'), 0)).toBe(
    '{"a":3,"b":[{"y":2}],"c":"é"}',
  )
  const writer = new Canonical()
  for (const text of ['{"a" 1}', '{a:1}', '[1 2]', '{"a":1', '[1}', '{"a":1]']) {
    expect(() => writer.write(encode(text), 0, new JsonBuffer()), text).toThrow('json')
  }
  // After a refusal the next value begins as the first did.
  const out = new JsonBuffer()
  writer.write(encode('{"a":1}'), 0, out)
  expect(Buffer.from(out.view()).toString()).toBe('{"a":1}')
})
