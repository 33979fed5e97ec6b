// Small parts of answers have the text that `JSON.stringify` gives, and keep the order of maps.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonBuffer } from '../../../format/json/index.ts'
import {
  MemberWriter,
  writeCounts,
  writeJson,
  writeText,
  writeTexts,
  writeValue,
  writeVector,
} from './json-text.ts'

function written(write: (out: JsonBuffer) => void): string {
  // Small, so that it has to grow.
  const out = new JsonBuffer(1)
  out.ascii('<')
  write(out)
  return Buffer.from(out.view()).toString().slice(1)
}

/** Texts around the length from which on the runtime encodes them. */
const lengths = fc.constantFrom(0, 1, 63, 64, 65, 255, 256, 257)
const rare = fc.constantFrom('', '"', '\\', '\n', '\u001f', ' ', '~', '\u007f', 'é', '🍓', '€')
const texts = fc.tuple(lengths, rare, rare).map(([n, a, b]) => `${a}${'x'.repeat(n)}${b}`)

describe('written JSON', () => {
  it('of a text is that of the standard', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(written((out) => writeText(out, text))).toBe(JSON.stringify(text))
      }),
    )
  })

  it('that is JSON already is copied', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(written((out) => writeJson(out, text))).toBe(text)
      }),
    )
  })

  it.each([0, -0, 7, -1, 0.5, 1e21, 2 ** 53, 'é"', null, true, { a: [1, '\ud800'] }])(
    'of the value %j is that of the standard',
    (value) => {
      expect(written((out) => writeValue(out, value))).toBe(JSON.stringify(value))
    },
  )

  it('of maps keeps their order', () => {
    const counts = new Map([
      ['b', 1],
      ['10', 2],
      ['9"', 0],
    ])
    expect(written((out) => writeCounts(out, counts))).toBe('{"b":1,"10":2,"9\\"":0}')
    expect(written((out) => writeCounts(out, new Map()))).toBe('{}')
    const names = new Map([
      ['2', 'b"'],
      ['1', 'a'],
    ])
    expect(written((out) => writeTexts(out, names))).toBe('{"2":"b\\"","1":"a"}')
  })

  it('of members has commas between them', () => {
    const text = written((out) => {
      const members = new MemberWriter(out)
      members.value('a', [1])
      members.value('é', null)
      writeVector(Float32Array.of(0.5, -1, 3), members.begin('v'))
      members.end()
    })
    expect(text).toBe('{"a":[1],"é":null,"v":[0.5,-1.0,3.0]}')
  })
})
