// The trusting readers against JSON.parse and JSON.stringify: numbers, strings, members, canonical
// and compact text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../errors.ts'
import {
  Canonical,
  canonicalNumber,
  canonicalText,
  compact,
  exactNumberJson,
  exactValue,
  floatText,
  hasEscape,
  hashBytes,
  isCanonicalNumber,
  isInteger,
  JsonBuffer,
  jsonKey,
  KeySet,
  kindText,
  Members,
  numberValue,
  skipValue,
  unescapeText,
} from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const canonical = (text: string): string => canonicalText(encode(text), 0)

const wellFormed = fc.string({ unit: 'binary' })
/** Keys that JavaScript keeps in order: anything but array indexes. */
const key = wellFormed.map((text) => `k${text}`)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1, 7, 'x', '"\\/\b\f\n\r\t\u0001\u007fé😀'),
    fc.maxSafeInteger(),
    wellFormed,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('any')), { maxLength: 5 }).map((all) => Object.fromEntries(all)),
  ),
})).any

/** JSON text with white space, unnecessary escapes and repeated keys. */
const loose = fc.tuple(value, fc.nat(5), fc.boolean()).map(([v, indent, escaped]) => {
  const text = JSON.stringify(v, null, indent)
  if (!escaped) return text
  return text.replace(/[k/é]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
})

describe('numbers', () => {
  const styles: readonly (readonly [string, string])[] = [
    ['1', '1'],
    ['-1', '-1'],
    ['0', '0'],
    ['-0', '-0.0'],
    ['0.0', '0.0'],
    ['1.0', '1.0'],
    ['1.10', '1.1'],
    ['1e2', '100.0'],
    ['1E2', '100.0'],
    ['100e-2', '1.0'],
    ['1.5e1', '15.0'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.1000000000000000055511151231257827', '0.1'],
    ['123456.789e3', '123456789.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['1.5e300', '1.5e+300'],
    ['0.00001', '0.00001'],
    ['0.000001', '1e-6'],
    ['1e-7', '1e-7'],
    ['5e-324', '5e-324'],
    ['1e-400', '0.0'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
    ['123456789012345678901234567890', '1.2345678901234568e+29'],
  ]
  for (const [sent, written] of styles) {
    it(`${sent} is written ${written}`, () => expect(canonical(sent)).toBe(written))
  }

  it('have no other text if they are canonical', () => {
    const least = ['0.00001', '0.000011', '1e-5', '9.9e-6', '9999999999999998.0', '1e+16']
    expect(least.map(canonicalNumber)).toEqual([
      null,
      null,
      '0.00001',
      '9.9e-6',
      '9999999999999998.0',
      '1e+16',
    ])
  })

  it('beyond 64 bits keep their digits in documents', () => {
    const sent = `[18446744073709551616,-9223372036854775809,-0,0,1e30,1${'0'.repeat(40)}]`
    const out = new JsonBuffer(64)
    new Canonical(true).write(encode(sent), 0, out)
    expect(Buffer.from(out.view()).toString()).toBe(sent.replace('-0', '-0.0').replace('e', 'e+'))
  })

  it('of 64 bits are read exactly, others as doubles', () => {
    const read = (text: string) => exactValue(encode(` ${text}`), 1, text.length + 1)
    expect(['7', '-0', '1e3', '9007199254740992', '1.5'].map(read)).toEqual([
      7,
      0,
      1000,
      2 ** 53,
      1.5,
    ])
    expect(['9007199254740993', '9007199254740993.0'].map(read)).toEqual([2n ** 53n + 1n, 2 ** 53])
    expect(
      ['18446744073709551615', '18446744073709551617', '-9223372036854775809'].map(read),
    ).toEqual([2n ** 64n - 1n, 2 ** 64, -(2 ** 63)])
    expect([1, 2 ** 53, 2n ** 53n + 1n, 1e19, 1e20].map(exactNumberJson)).toEqual([
      '1.0',
      '9007199254740992',
      '9007199254740993',
      '10000000000000000000',
      '1e+20',
    ])
  })

  it('are integers of 64 bits or not', () => {
    const digits = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
    const edges = fc.constantFrom(2n ** 64n - 1n, 2n ** 64n, -(2n ** 63n), -(2n ** 63n) - 1n, 0n)
    fc.assert(
      fc.property(fc.oneof(digits, edges), (n) => {
        const bytes = encode(String(n))
        expect(isInteger(bytes, 0, bytes.length)).toBe(n < 2n ** 64n && n >= -(2n ** 63n))
        expect(numberValue(bytes, 0, bytes.length)).toBe(Number(n))
      }),
    )
    for (const text of ['1.0', '1e3', '-0', '-']) {
      expect(isInteger(encode(text), 0, text.length)).toBe(false)
    }
  })

  it('keep their value, and once canonical their text', () => {
    const decimal = fc
      .tuple(
        fc.oneof(fc.maxSafeInteger(), fc.integer()),
        fc.nat(30),
        fc.integer({ min: -30, max: 30 }),
        fc.boolean(),
      )
      .map(([n, places, exponent, plain]) => {
        const sign = n < 0 ? '-' : ''
        const digits = String(Math.abs(n)).padStart(places + 1, '0')
        const point = places === 0 ? '' : `.${digits.slice(-places)}`
        const whole = BigInt(digits.slice(0, digits.length - places))
        return `${sign}${whole}${point}${plain ? '' : `e${exponent}`}`
      })
    fc.assert(
      fc.property(
        fc.oneof(decimal, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
        (text) => {
          const written = canonical(text)
          expect(Object.is(Number(written), Number(text))).toBe(true)
          expect(canonical(written)).toBe(written)
          const bytes = encode(text)
          if (isCanonicalNumber(bytes, 0, bytes.length)) expect(written).toBe(text)
          expect(Object.is(numberValue(bytes, 0, bytes.length), Number(text))).toBe(true)
        },
      ),
      { numRuns: 3000 },
    )
    expect(floatText(0.1 + 0.2)).toBe('0.30000000000000004')
    for (const text of ['1.5', '-0.05', '120.25', '0.00001', '1234567890123456.5']) {
      expect(canonicalNumber(text), text).toBeNull()
    }
    expect(['1.50', '1.0', '1.5e0', '0.1e-5', '-5'].map(canonicalNumber)).toEqual([
      ...['1.5', '1.0', '1.5', '1e-6', '-5.0'],
    ])
  })
})

describe('strings', () => {
  it('have an escape at any place of their inside, or none', () => {
    const text = encode('"ab\\n"')
    expect([1, 2, 3, 4, 5].map((from) => hasEscape(text, from, 5))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect([1, 3, 4].map((to) => hasEscape(text, 1, to))).toEqual([false, false, true])
  })

  it('are unescaped and written as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const sent = encode(JSON.stringify(text))
        expect(unescapeText(sent, 1, sent.length - 1)).toBe(text)
        expect(decode(jsonKey(text))).toBe(JSON.stringify(text))
        const all = [...text].map((c) => [...c].flatMap((x) => x.split('')))
        const escaped = encode(
          all
            .flat()
            .map((u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, '0')}`)
            .join(''),
        )
        expect(unescapeText(escaped, 0, escaped.length)).toBe(text)
      }),
    )
    for (const point of [0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff]) {
      const text = String.fromCodePoint(point)
      const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
      const sent = encode(units.map((unit) => `\\u${unit}`).join(''))
      expect(unescapeText(sent, 0, sent.length)).toBe(text)
    }
    const long = 'é"'.repeat(5000)
    expect(decode(jsonKey(long))).toBe(JSON.stringify(long))
  })
})

describe('canonical text', () => {
  it('equals the output of JSON.stringify for the value of JSON.parse', () => {
    fc.assert(
      fc.property(loose, (text) => {
        expect(canonical(text)).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps the place of a repeated key and its last value, at every level', () => {
    const few = fc.constantFrom('a', 'b', 'c', '\\u0061', '__proto__')
    const member = fc.letrec<{ object: string }>((tie) => ({
      object: fc
        .array(
          fc.tuple(
            few,
            fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', '"x"', '[]'), tie('object')),
          ),
        )
        .map((all) => `{${all.map(([k, v]) => `"${k}" : ${v}`).join(',')}}`),
    })).object
    fc.assert(
      fc.property(member, (text) => {
        expect(canonical(text)).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
    expect(canonical('{"a":1,"b":{"k":1,"k":{"z":2}},"a":[3]}')).toBe('{"a":[3],"b":{"k":{"z":2}}}')
  })

  it('does the same for thousands of members', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `"f${(i * 7919) % 3000}":${i}`)
    const text = `{"n":{${keys.join(',')}},"m":{${keys.reverse().join(', ')}}}`
    expect(canonical(text)).toBe(JSON.stringify(JSON.parse(text)))
  })

  it('comes one value after another', () => {
    const out = new JsonBuffer(1)
    const writer = new Canonical()
    const bytes = encode(' {"a" : 1}[ 2 ]')
    const at = writer.write(bytes, 1, out)
    expect(writer.write(bytes, at, out)).toBe(bytes.length)
    expect(decode(out.view())).toBe('{"a":1}[2]')
  })
})

describe('compact text', () => {
  it('drops white space and nothing else', () => {
    fc.assert(
      fc.property(value, fc.nat(5), (v, indent) => {
        const sent = encode(JSON.stringify(v, null, indent))
        const out = new JsonBuffer()
        compact(sent, 0, sent.length, out)
        expect(decode(out.view())).toBe(JSON.stringify(v))
        expect(skipValue(sent, 0)).toBe(sent.length)
      }),
    )
    const out = new JsonBuffer()
    const sent = encode('{"a" : [1.0 , 1e2],\t"a":"\\u0041 "}')
    compact(sent, 0, sent.length, out)
    expect(decode(out.view())).toBe('{"a":[1.0,1e2],"a":"\\u0041 "}')
  })
})

describe('members', () => {
  const read = (members: Members, bytes: Uint8Array): (readonly [string, string])[] =>
    Array.from({ length: members.count }, (_, i) => [
      decode(members.key(i)),
      decode(bytes.subarray(members.valueStart[i]!, members.valueEnd[i]!)),
    ])

  it('are those of JSON.parse, the last value in the first place', () => {
    const members = new Members()
    const entries = fc.array(fc.tuple(fc.oneof(key, fc.constantFrom('ka', 'kb')), value))
    fc.assert(
      fc.property(entries, fc.nat(3), (all, blanks) => {
        const gap = ' '.repeat(blanks)
        const inside = all.map(
          ([k, v]) => `${gap}${JSON.stringify(k)}${gap}:${gap}${JSON.stringify(v)}`,
        )
        const bytes = encode(`${gap}{${inside.join(',')}${gap}}!`)
        expect(members.scan(bytes, blanks)).toBe(bytes.length - 1)
        const expected = [...new Map(all)].map(([k, v]) => [k, JSON.stringify(v)])
        expect(read(members, bytes)).toEqual(expected)
        for (let i = 0; i < members.count; i++) {
          expect(members.find(members.key(i))).toBe(i)
          expect(members.hash[i]).toBe(hashBytes(members.key(i), 0, members.key(i).length))
        }
        expect(members.find(encode('none'))).toBe(-1)
      }),
    )
  })

  it('may be many, and repeated', () => {
    const members = new Members()
    const all = Array.from({ length: 4000 }, (_, i) => [`f${(i * 31) % 2500}`, i] as const)
    const bytes = encode(`{${all.map(([k, v]) => `"${k}":${v}`).join(',')}}`)
    members.scan(bytes, 0)
    expect(read(members, bytes)).toEqual([...new Map(all)].map(([k, v]) => [k, String(v)]))
    members.scan(encode('{"f1":1}'), 0)
    expect(members.count).toBe(1)
  })

  it('end with a typed refusal of damaged bytes', () => {
    const sample = encode('{"id":1,"n":{"a":[1,{"b":"\\u00e9\\n"}]},"e\\u0301":"x","t":true}')
    const members = new Members()
    const attempt = (bytes: Uint8Array): void => {
      for (const run of [() => members.scan(bytes, 0), () => canonicalText(bytes, 0)]) {
        try {
          run()
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptionError)
        }
      }
    }
    for (let n = 0; n < sample.length; n++) {
      expect(() => members.scan(sample.subarray(0, n), 0)).toThrow(CorruptionError)
      attempt(sample.subarray(0, n))
    }
    for (let bit = 0; bit < sample.length * 8; bit++) {
      sample[bit >> 3]! ^= 1 << (bit & 7)
      attempt(sample)
      sample[bit >> 3]! ^= 1 << (bit & 7)
    }
  })
})

describe('keys', () => {
  it('are numbered as they come', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (texts) => {
        const keys = new KeySet()
        const model = new Map<string, number>()
        for (let round = 0; round < 2; round++) {
          for (const text of texts) {
            const bytes = encode(text)
            if (!model.has(text)) model.set(text, model.size)
            expect(keys.add(bytes, 0, bytes.length)).toBe(model.get(text))
          }
        }
        expect(keys.count).toBe(model.size)
      }),
    )
    const keys = new KeySet()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 20000; i++) {
        const bytes = encode(`key ${i}`)
        expect(keys.add(bytes, 0, bytes.length)).toBe(i)
      }
    }
    keys.clear()
    expect(keys.add(encode('new'), 0, 3)).toBe(0)
  })
})

describe('kinds', () => {
  it('have names', () => {
    const names = [
      '{}',
      '[1]',
      'null',
      'true',
      'false',
      '5',
      '-5',
      '1.50',
      '1e300',
      '"a\\"\\n\\u0001é"',
    ]
    expect(names.map((text) => kindText(encode(text), 0, encode(text).length))).toEqual([
      'map',
      'sequence',
      'null',
      'boolean `true`',
      'boolean `false`',
      'integer `5`',
      'integer `-5`',
      'floating point `1.5`',
      'floating point `1e+300`',
      'string "a\\"\\n\\u{1}é"',
    ])
  })
})
