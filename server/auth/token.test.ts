// Tenant tokens alone: parts, claims, rules, signatures.
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { keyText } from '../../engine/admin/keys/index.ts'
import { asIndexUid, asUuid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import { decodePart } from './base64.ts'
import { readClaims, readHeader } from './claims.ts'
import { readSearchRules } from './search-rules.ts'
import { isTenantToken, verifyTenantToken } from './tenant-token.ts'

const MASTER = 'a-master-key-for-tests-only'
const UID = '5eed0000-0000-4000-8000-000000000001'
const DIGESTS: { readonly [algorithm: string]: string } = {
  HS256: 'sha256',
  HS384: 'sha384',
  HS512: 'sha512',
}

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

function token(
  claims: unknown,
  header: { readonly [name: string]: unknown } = { alg: 'HS256', typ: 'JWT' },
  secret = keyText(asUuid(UID), MASTER),
): string {
  const message = `${part(header)}.${part(claims)}`
  const digest = DIGESTS[String(header['alg'])] ?? 'sha256'
  return `${message}.${createHmac(digest, secret).update(message).digest('base64url')}`
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function detailOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return wordsOf(error)
    throw error
  }
  return 'accepted'
}

const wordsOf = ({ message }: ApiError): string =>
  message.replace(/^Could not decode tenant token, /, '').replace(/\.$/, '')

async function refusalOf(text: string): Promise<string> {
  try {
    await verifyTenantToken(text, MASTER)
  } catch (error) {
    if (error instanceof ApiError) return wordsOf(error)
    throw error
  }
  return 'accepted'
}

describe('a part in base64', () => {
  it('is decoded like by any decoder', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (sample) => {
        const text = Buffer.from(sample).toString('base64url')
        expect([...decodePart(text)]).toEqual([...sample])
      }),
    )
  })

  it('has exact messages for errors', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['a', 'Invalid input length: 1'],
      ['A', 'Invalid input length: 1'],
      ['abcde', 'Invalid input length: 5'],
      ['@@@', 'Invalid symbol 64, offset 0.'],
      ['ab+d', 'Invalid symbol 43, offset 2.'],
      ['abcd.', 'Invalid symbol 46, offset 4.'],
      ['@bcd.', 'Invalid symbol 46, offset 4.'],
      ['@bcde', 'Invalid symbol 64, offset 0.'],
      ['abcd=', 'Invalid symbol 61, offset 4.'],
      ['ab=c', 'Invalid symbol 61, offset 2.'],
      ['a=bc', 'Invalid symbol 61, offset 1.'],
      ['YWI=', 'Invalid padding'],
      ['YQ==', 'Invalid padding'],
      ['YR', 'Invalid last symbol 82, offset 1.'],
      ['ab\u00e9d', 'Invalid symbol 233, offset 2.'],
    ]
    for (const [text, words] of wrong) {
      expect(detailOf(() => decodePart(text))).toBe(`Base64 error: ${words}`)
    }
  })

  it('never decodes like another part', () => {
    const any = fc.string({ unit: fc.constantFrom(...'AB_-=.+ \u00ff'), maxLength: 12 })
    fc.assert(
      fc.property(any, (text) => {
        if (detailOf(() => decodePart(text)) !== 'accepted') return
        expect(Buffer.from(decodePart(text)).toString('base64url')).toBe(text)
      }),
    )
  })
})

describe('a header', () => {
  const read = (text: string): string => detailOf(() => readHeader(bytes(text)))

  it('names an algorithm', () => {
    expect(readHeader(bytes('{"kid":"x","alg":"HS384","other":{}}'))).toBe('HS384')
    expect(readHeader(bytes('{"alg":"EdDSA","typ":null}'))).toBe('EdDSA')
  })

  it('is refused if it is invalid', () => {
    expect(read('')).toBe('JSON error: EOF while parsing a value at line 1 column 0')
    expect(read('{}')).toBe('JSON error: missing field `alg` at line 1 column 2')
    expect(read('{"alg":null}')).toBe('JSON error: expected value at line 1 column 8')
    expect(read('{\n"alg": "none"}')).toMatch(
      /^JSON error: unknown variant `none`, .* line 2 .* 13$/,
    )
    expect(read('{"alg":"HS256","typ":1}')).toBe(
      'JSON error: invalid type: integer `1`, expected a string at line 1 column 22',
    )
    expect(read('{"alg":"HS256","alg":"HS256"}')).toBe(
      'JSON error: duplicate field `alg` at line 1 column 20',
    )
    expect(read('"HS256"')).toBe(
      'JSON error: invalid type: string "HS256", expected struct Header at line 1 column 7',
    )
  })
})

describe('claims', () => {
  const read = (text: string): string => detailOf(() => readClaims(bytes(text)))
  const uid = `"apiKeyUid":"${UID}"`

  it('are read in any order', () => {
    const claims = readClaims(bytes(`{"x":[1],"exp":5, "searchRules":["a"],${uid}}`))
    expect(claims).toMatchObject({ apiKeyUid: UID, expiresAt: 5, hasAudience: false })
    expect(readClaims(bytes(`{"exp":null,"searchRules":{},${uid}}`)).expiresAt).toBeNull()
    expect(readClaims(bytes(`{"exp":-3,"searchRules":{},${uid}}`)).expiresAt).toBe(-3)
    const last = `{"exp":${2n ** 63n - 1n},"searchRules":{},${uid}}`
    expect(readClaims(bytes(last)).expiresAt).toBe(2 ** 63)
  })

  it('name no audience', () => {
    const audiences = [
      ['"a"', true],
      ['["a"]', true],
      ['[]', true],
      ['3', false],
      ['[3]', false],
    ]
    for (const [audience, expected] of audiences) {
      const claims = readClaims(bytes(`{"aud":${audience},"searchRules":[],${uid}}`))
      expect(claims.hasAudience, String(audience)).toBe(expected)
    }
  })

  it('are refused at the first error', () => {
    const untagged = 'data did not match any variant of untagged enum SearchRules'
    const wrong: readonly (readonly [string, string])[] = [
      ['{}', 'missing field `searchRules` at line 1 column 2'],
      ['{}\n', 'missing field `searchRules` at line 1 column 2'],
      ['{"searchRules":["*"]}', 'missing field `apiKeyUid` at line 1 column 21'],
      ['{"searchRules":3}', `${untagged} at line 1 column 17`],
      ['{"searchRules":3 ,"x":1}', `${untagged} at line 1 column 16`],
      ['{"searchRules":{"a":3}}', `${untagged} at line 1 column 23`],
      ['{"exp":true}', 'invalid type: boolean `true`, expected i64 at line 1 column 11'],
      ['{"exp":[1]}', 'invalid type: sequence, expected i64 at line 1 column 7'],
      ['{"exp":1.0}', 'invalid type: floating point `1.0`, expected i64 at line 1 column 10'],
      [
        '{"exp":9223372036854775808}',
        'invalid value: integer `9223372036854775808`, expected i64 at line 1 column 26',
      ],
      ['{"apiKeyUid":""}', 'UUID parsing failed: invalid length: found 0 at line 1 column 15'],
      ['[]', 'invalid length 0, expected struct Claims with 3 elements at line 1 column 2'],
      ['7', 'invalid type: integer `7`, expected struct Claims at line 1 column 1'],
      ['text', 'expected ident at line 1 column 2'],
    ]
    for (const [text, words] of wrong) expect(read(text)).toBe(`JSON error: ${words}`)
  })
})

describe('search rules', () => {
  it('of a list have no filters', () => {
    const rules = readSearchRules(['a', 'b*'])!
    expect(['a', 'ab', 'b', 'bc'].map((uid) => rules.match(asIndexUid(uid)))).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(['a', 'c'].map((uid) => rules.filterOf(asIndexUid(uid)))).toEqual([null, null])
  })

  it('of a map: the name, then the longest prefix, then the star', () => {
    const rules = readSearchRules({
      '*': { filter: 'star' },
      'sh*': { filter: 'short' },
      'shel*': { filter: ['long'] },
      shelf: { filter: 'name' },
      shoe: null,
    })!
    const filters = ['shelf', 'shells', 'shop', 'shoe', 'a'].map((uid) =>
      rules.filterOf(asIndexUid(uid)),
    )
    expect(filters).toEqual(['name', ['long'], 'short', null, 'star'])
  })

  it('have one of two forms', () => {
    for (const json of [null, 3, 'a', [1], [null], [['a']], { a: 'x' }, { a: [] }]) {
      expect(readSearchRules(json)).toBeNull()
    }
    expect(
      readSearchRules({ __proto__: null, toString: {} })!.filterOf(asIndexUid('toString')),
    ).toBeNull()
  })
})

describe('a token', () => {
  const claims = { apiKeyUid: UID, searchRules: ['*'] }

  it('is recognised by its dots', () => {
    const shapes = ['', 'a', 'a.b', 'a.b.c', '..', 'a.b.c.d'].map(isTenantToken)
    expect(shapes).toEqual([false, false, false, true, true, true])
  })

  it('is accepted with each algorithm with a shared secret', async () => {
    for (const alg of Object.keys(DIGESTS)) {
      expect(await refusalOf(token(claims, { alg })), alg).toBe('accepted')
    }
  })

  it('is refused with any other', async () => {
    expect(await refusalOf(token(claims, { alg: 'RS256' }))).toBe('InvalidAlgorithm')
    expect(await refusalOf(token(claims, { alg: 'none' }))).toMatch(/^JSON error: unknown variant/)
  })

  it('is refused when any bit was changed', async () => {
    const good = token(claims)
    const places = Array.from({ length: good.length }, (_, i) => i)
    for (const at of places) {
      const other = String.fromCharCode(good.charCodeAt(at) ^ 1)
      const changed = good.slice(0, at) + other + good.slice(at + 1)
      expect(await refusalOf(changed), changed).not.toBe('accepted')
    }
  })

  it('needs the signature of the key that it names', async () => {
    const [header, body] = token(claims).split('.')
    expect(await refusalOf(`${header}.${body}.`)).toBe('InvalidSignature')
    const other = token(claims, { alg: 'HS256' }, MASTER)
    expect(await refusalOf(other)).toBe('InvalidSignature')
    expect(await refusalOf(`${token(claims)}.x`)).toMatch(/^Base64 error: Invalid symbol 46/)
  })

  it('has a signature in base64', async () => {
    const [header, body, signature] = token(claims).split('.')
    expect(await refusalOf(`${header}.${body}.@${signature!.slice(1)}`)).toBe(
      'Base64 error: Invalid symbol 64, offset 0.',
    )
  })

  it('is no reason to hide a defect', async () => {
    const spy = vi.spyOn(crypto.subtle, 'importKey')
    onTestFinished(() => spy.mockRestore())
    spy.mockRejectedValueOnce(new TypeError('a defect'))
    await expect(verifyTenantToken(token(claims), MASTER)).rejects.toThrow(TypeError)
  })

  it('is refused with an audience or an extension', async () => {
    expect(await refusalOf(token({ ...claims, aud: 'a' }))).toBe('InvalidAudience')
    const extended = token(claims, { alg: 'HS256', crit: ['x'], x: 1 })
    expect(await refusalOf(extended)).toBe('InvalidSignature')
  })
})
