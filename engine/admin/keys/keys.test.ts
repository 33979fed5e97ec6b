// Rights of keys, and their texts: actions, patterns, UUIDs, expiry, derivation.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asUuid } from '../../../format/ids.ts'
import {
  ACTIONS,
  allowedBy,
  expiryText,
  isInstanceWide,
  isOver,
  keyText,
  patternsOf,
  readExpiry,
  readUuid,
  uuidOf,
} from './index.ts'

describe('actions', () => {
  it('of a group are those of its subject', () => {
    for (const group of ACTIONS.filter((action) => /^\w+\.\*$/.test(action))) {
      const subject = group.slice(0, -1)
      const members = ACTIONS.filter((action) => action.startsWith(subject))
      expect([...allowedBy([group])].sort()).toEqual([...members].sort())
    }
  })

  it('are all allowed by the star; an empty list allows none', () => {
    expect([...allowedBy(['*'])].sort()).toEqual([...ACTIONS].sort())
    expect(allowedBy([]).size).toBe(0)
  })

  it('of reading exclude keys and chats', () => {
    const reading = allowedBy(['*.get'])
    for (const action of ['keys.get', 'chatCompletions', 'documents.add', '*']) {
      expect(reading.has(action), action).toBe(false)
    }
    for (const action of ['search', 'export', 'version', 'fields.post', 'tasks.get']) {
      expect(reading.has(action), action).toBe(true)
    }
  })

  it('that are unknown allow nothing else', () => {
    expect([...allowedBy(['toString', 'later.*'])]).toEqual(['toString', 'later.*'])
    expect(isInstanceWide('later.*')).toBe(false)
  })

  it('on the instance are distinguished from those on indexes', () => {
    const local = ACTIONS.filter((action) => !isInstanceWide(action))
    expect(local.filter((action) => !/^(documents|indexes|settings|stats)\./.test(action))).toEqual(
      [
        '*',
        'search',
        'tasks.*',
        'tasks.cancel',
        'tasks.delete',
        'tasks.get',
        'chatCompletions',
        '*.get',
        'fields.post',
      ],
    )
  })
})

describe('patterns', () => {
  it('match like a naive implementation', () => {
    const uid = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 4 })
    const pattern = fc.tuple(uid, fc.constantFrom('', '*')).map(([stem, star]) => stem + star)
    const any = fc.array(fc.oneof(pattern, fc.constant('*')), { maxLength: 4 })
    fc.assert(
      fc.property(any, uid, (patterns, name) => {
        const expected = patterns.some((one) =>
          one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one,
        )
        expect(patternsOf(patterns).match(name)).toBe(expected)
        expect(patternsOf(patterns).areAll).toBe(patterns.includes('*'))
      }),
    )
  })

  it('with a star in the middle are names', () => {
    expect(patternsOf(['s*f']).match('shelf')).toBe(false)
    expect(patternsOf(['s*f']).match('s*f')).toBe(true)
  })
})

describe('a UUID', () => {
  const uid = '5eed0000-0000-4000-8000-0000000000ab'

  it('has four spellings in either case', () => {
    const spellings = [uid, uid.replaceAll('-', ''), `{${uid}}`, `urn:uuid:${uid}`]
    for (const spelling of spellings) expect(uuidOf(spelling)).toBe(uid)
    expect(uuidOf(uid.toUpperCase())).toBe(uid)
    expect(uuidOf(uid.replaceAll('-', '').toUpperCase())).toBe(uid)
  })

  it('that is invalid is refused with a message', () => {
    const problems: readonly (readonly [string, string])[] = [
      ['abc', 'invalid length: found 3'],
      ['', 'invalid length: found 0'],
      ['abcd-', 'invalid group count: expected 5, found 2'],
      ['foo', 'invalid character: found `o` at 1'],
      ['{foo}', 'invalid character: found `o` at 2'],
      [`${uid}0`, 'invalid group length in group 4: expected 12, found 13'],
      [uid.slice(1), 'invalid group length in group 0: expected 8, found 7'],
      ['5eed0000_0000-4000-8000-000000000000', 'invalid character: found `_` at 8'],
      ['é', 'invalid character: found `é` at 0'],
    ]
    for (const [text, problem] of problems) expect(readUuid(text)).toEqual({ uid: null, problem })
  })

  it('or its problem is returned for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('0', 'a', '-', '{', '}', 'g') }), (text) => {
        const read = readUuid(text)
        expect(read.uid === null ? 'problem' in read : read.uid.length === 36).toBe(true)
      }),
    )
  })
})

describe('the expiry of a key', () => {
  it('is shown in the form of its input', () => {
    const shown: readonly (readonly [string, string])[] = [
      ['2199-01-02', '2199-01-02T00:00:00Z'],
      ['2199-12-31 23:59:59', '2199-12-31T23:59:59Z'],
      ['2199-12-31T23:59:59', '2199-12-31T23:59:59Z'],
      ['2199-12-31T23:59:59Z', '2199-12-31T23:59:59Z'],
      ['2199-12-31t23:59:59z', '2199-12-31T23:59:59Z'],
      ['2199-12-31T23:59:59+02:00', '2199-12-31T23:59:59+02:00'],
      ['2199-12-31T23:59:59-00:30', '2199-12-31T23:59:59-00:30'],
      ['2199-12-31T23:59:59-00:00', '2199-12-31T23:59:59Z'],
      ['2199-12-31T23:59:59.123456Z', '2199-12-31T23:59:59.123456Z'],
      ['2199-12-31T23:59:59.1234567890Z', '2199-12-31T23:59:59.123456789Z'],
      ['2199-12-31T23:59:59.500Z', '2199-12-31T23:59:59.5Z'],
    ]
    for (const [text, expected] of shown) expect(expiryText(readExpiry(text)!)).toBe(expected)
  })

  it('is refused in any other form', () => {
    const texts = [
      '',
      'tomorrow',
      '2199-13-01',
      '2199-02-30',
      '2199-1-1',
      '01-02-2199',
      '2199-12-31 ',
      '2199-12-31T23:59',
      '2199-12-31 23:59:59 ',
      '2199-12-31T24:00:00Z',
      '1969-12-31',
      '2199-12-31T23:59:60Z',
      '2199-12-31T23:59:59.Z',
      '2199-12-31T23:59:59+24:00',
      '2199-12-31T23:59:59.5',
      '2199-12-31T23:60:00',
      '4102444800',
    ]
    for (const text of texts) expect(readExpiry(text), text).toBeNull()
  })

  it('has passed from its moment on', () => {
    const end = readExpiry('2030-01-01T02:00:00.000001+02:00')!
    const moment = Date.UTC(2030, 0, 1) * 1000 + 1
    expect(isOver(end, moment - 1)).toBe(false)
    expect(isOver(end, moment)).toBe(true)
  })
})

it('the text of a key follows from its uid and the master key', () => {
  expect(
    keyText(asUuid('5eed0000-0000-4000-8000-000000000001'), 'a-master-key-for-tests-only'),
  ).toBe('aebe621e7c9e90c3b34f0cf466901ac805d852d7a12fc31f79b4dcf9b53f247d')
})
