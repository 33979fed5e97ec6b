// Key records: golden bytes, round trips, refusals. Layout: ./KEYS.md

import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { MiB } from '../bytes/index.ts'
import { CorruptionError, InvariantError, VersionError } from '../errors.ts'
import { decodeKey, encodeKey } from './index.ts'
import type { KeyRecord } from './keys-v1.ts'
import { KEY_BYTES_MAX, KEY_LIST_MAX } from './limits.ts'
import { keyNotes } from './test-notes.ts'

const AT = 1_700_000_000_000_000

const PAGE: KeyRecord = {
  name: 'page',
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  createdAt: AT,
  updatedAt: AT,
}

const FULL: KeyRecord = {
  name: 'clé 🔑',
  description: '\ufeffwith a mark in front',
  actions: ['documents.add', 'documents.*', 'search', 'search'],
  indexes: ['shop', 'sh*', 'shop'],
  expiresAt: { seconds: 7_258_111_199, nanos: 123_456_000, offsetMinutes: -210 },
  createdAt: AT,
  updatedAt: AT + 1,
}

function refused(bytes: Uint8Array): 'corrupt' | 'version' | null {
  try {
    decodeKey(bytes)
    return null
  } catch (error) {
    if (error instanceof CorruptionError) return 'corrupt'
    if (error instanceof VersionError) return 'version'
    throw error
  }
}

describe('bytes', () => {
  const cases: readonly [string, KeyRecord][] = [
    ['search-page', PAGE],
    ['every-member', FULL],
  ]
  for (const [name, key] of cases) {
    it(`are the golden ones: ${name}`, () => {
      const bytes = encodeKey(key)
      const shown = expectGolden(`keys/v1/${name}`, bytes, keyNotes(bytes))
      expect(decodeKey(shown)).toEqual(key)
    })
  }

  it('may be as many as the limit says, and none more', () => {
    const ofLength = (length: number): Uint8Array =>
      encodeKey({ ...PAGE, description: 'd'.repeat(length) })
    // From 64 KiB on, the head of a text does not grow.
    const rest = KEY_BYTES_MAX - ofLength(100_000).length + 100_000
    expect(ofLength(rest).length).toBe(KEY_BYTES_MAX)
    expect(refused(ofLength(rest))).toBeNull()
    expect(refused(ofLength(rest + 1))).toBe('corrupt')
  })

  it.each([null, 1, 'key', {}])('are an array, not %j', (value) => {
    expect(refused(encode(value))).toBe('corrupt')
  })

  it('are the example of the page', () => {
    const hex = Buffer.from(encodeKey({ ...PAGE, createdAt: AT, updatedAt: AT })).toString('hex')
    const at = 'cf00060a24181e4000'
    expect(hex).toBe(`9801a470616765c091a673656172636891a12ac0${at}${at}`)
  })

  it('read back as written', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const lists = fc.array(text, { maxLength: 6 })
    const expiry = fc.record({
      seconds: fc.nat(2 ** 36),
      nanos: fc.nat(999_999_999),
      offsetMinutes: fc.integer({ min: -1439, max: 1439 }),
    })
    const key = fc.record({
      name: fc.option(text),
      description: fc.option(text),
      actions: lists,
      indexes: lists,
      expiresAt: fc.option(expiry),
      createdAt: fc.maxSafeNat(),
      updatedAt: fc.maxSafeNat(),
    })
    fc.assert(
      fc.property(key, (sample) => {
        expect(decodeKey(encodeKey(sample))).toEqual(sample)
      }),
    )
  })
})

describe('a reader', () => {
  it('refuses every truncation and every added byte', () => {
    const bytes = encodeKey(FULL)
    for (let n = 0; n < bytes.length; n++) expect(refused(bytes.subarray(0, n))).toBe('corrupt')
    expect(refused(Uint8Array.from([...bytes, 0]))).toBe('corrupt')
  })

  it('gives another key or a refusal for every flipped bit', () => {
    const bytes = encodeKey(FULL)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      if (refused(bytes) === null) expect(decodeKey(bytes)).not.toEqual(FULL)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
    }
  })

  it('refuses what no writer makes', () => {
    const good = [1, null, null, [], [], null, 0, 0]
    const with_ = (at: number, value: unknown) => good.map((old, i) => (i === at ? value : old))
    const bad: readonly (readonly [string, unknown])[] = [
      ['no array', 7],
      ['no version', []],
      ['an element too few', good.slice(0, -1)],
      ['an element too many', [...good, 0]],
      ['a name of another type', with_(1, 3)],
      ['text that is not UTF-8', with_(2, Uint8Array.of(0xff))],
      ['actions of another type', with_(3, 'search')],
      ['an action of another type', with_(3, [null])],
      ['an end of another type', with_(5, 3)],
      ['an end without its offset', with_(5, [1, 2])],
      ['an end before 1970', with_(5, [-1, 0, 0])],
      ['too many nanoseconds', with_(5, [0, 1_000_000_000, 0])],
      ['an offset of a day', with_(5, [0, 0, 1440])],
      ['an offset of a day backwards', with_(5, [0, 0, -1440])],
      ['a moment that is not an integer', with_(6, 1.5)],
      ['a moment before 1970', with_(7, -1)],
      ['too long a record', with_(1, 'x'.repeat(MiB))],
      [
        'too many patterns',
        with_(
          4,
          Array.from({ length: KEY_LIST_MAX + 1 }, () => ''),
        ),
      ],
    ]
    expect(refused(encode(good))).toBe(null)
    const most = Array.from({ length: KEY_LIST_MAX }, () => '')
    expect(decodeKey(encode(with_(4, most))).indexes).toHaveLength(KEY_LIST_MAX)
    for (const [what, values] of bad) expect(refused(encode(values)), what).toBe('corrupt')
    expect(refused(encode(with_(0, 2)))).toBe('version')
  })
})

it.each([-1439, 1439])('an end may be shown %i minutes from UTC', (offsetMinutes) => {
  const key = { ...PAGE, expiresAt: { seconds: 0, nanos: 999_999_999, offsetMinutes } }
  expect(decodeKey(encodeKey(key))).toEqual(key)
})

it('encoding an invalid key is an invariant error', () => {
  const wrong: readonly Partial<KeyRecord>[] = [
    { name: '\ud800' },
    { actions: ['\udc00'] },
    { createdAt: -1 },
    { updatedAt: 0.5 },
    { expiresAt: { seconds: -1, nanos: 0, offsetMinutes: 0 } },
    { expiresAt: { seconds: 1, nanos: 1e9, offsetMinutes: 0 } },
    { expiresAt: { seconds: 1, nanos: 0, offsetMinutes: 1440 } },
  ]
  for (const part of wrong) {
    expect(() => encodeKey({ ...PAGE, ...part }), JSON.stringify(part)).toThrow(InvariantError)
  }
})
