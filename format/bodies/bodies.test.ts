// Body files: golden bytes, round trips, refusals. Layout: ./BODIES.md

import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { CorruptionError, InvariantError } from '../errors.ts'
import { BODY_FOOTER_BYTES, bodyFooter, documentsOfBody } from './index.ts'
import { bodyNotes } from './test-notes.ts'

function body(text: string): Uint8Array {
  const documents = new TextEncoder().encode(text)
  return Buffer.concat([documents, bodyFooter(documents.length, crc32(documents))])
}

function refusalOf(bytes: Uint8Array): string | null {
  try {
    documentsOfBody(bytes)
    return null
  } catch (error) {
    if (error instanceof CorruptionError) return `${error.code} @${error.at.offset}`
    throw error
  }
}

describe('bytes', () => {
  it('are the golden ones', () => {
    const bytes = body('{"id":1}\n{"id":2,"title":"ü"}\n')
    const shown = expectGolden('bodies/v1/two-documents', bytes, bodyNotes(bytes))
    expect(new TextDecoder().decode(documentsOfBody(shown))).toContain('"ü"')
  })

  it('are the example of the page', () => {
    const hex = Buffer.from(body('{"id":1}')).toString('hex')
    expect(hex).toBe('7b226964223a317d424f445900000000c5f85d4408000000')
  })

  it('survive a round trip, as a view', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = body(text)
        const documents = documentsOfBody(bytes)
        expect(new TextDecoder().decode(documents)).toBe(text)
        expect(documents.buffer).toBe(bytes.buffer)
      }),
    )
  })

  it('hold the length of huge bodies modulo 2^32', () => {
    expect([...bodyFooter(2 ** 32 + 5, 0).subarray(12)]).toEqual([5, 0, 0, 0])
    expect(() => bodyFooter(-1, 0)).toThrow(InvariantError)
  })
})

describe('a reader', () => {
  const sound = body('{"id":1}')

  it('refuses every truncation and every added byte', () => {
    for (let length = 0; length < sound.length; length++) {
      expect(refusalOf(sound.subarray(0, length))).not.toBe(null)
    }
    for (let byte = 0; byte < 256; byte++) {
      expect(refusalOf(Uint8Array.of(...sound, byte))).not.toBe(null)
    }
  })

  it('refuses every flipped bit', () => {
    for (let bit = 0; bit < sound.length * 8; bit++) {
      const bent = Uint8Array.from(sound)
      bent[bit >>> 3]! ^= 1 << (bit & 7)
      expect(refusalOf(bent), `bit ${bit}`).not.toBe(null)
    }
  })

  it('reports the kind and place of damage', () => {
    const bent = (at: number): Uint8Array => sound.map((byte, i) => (i === at ? byte ^ 1 : byte))
    expect(refusalOf(sound.subarray(0, BODY_FOOTER_BYTES - 1))).toBe('bad_length @0')
    expect(refusalOf(bent(8))).toBe('bad_magic @8')
    expect(refusalOf(bent(12))).toBe('bad_value @12')
    expect(refusalOf(bent(20))).toBe('bad_length @20')
    expect(refusalOf(bent(0))).toBe('bad_checksum @16')
  })
})
