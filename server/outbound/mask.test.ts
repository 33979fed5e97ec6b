// Secrets of requests in texts of other servers, in every spelling.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SECRET_BODY_BYTES_MAX } from './limits.ts'
import { Mask } from './mask.ts'
import { secretsOf } from './secrets.ts'

/** With the first and the last capital letter. */
const KEY = 'AZ-Rest/Secret+12"3é'
const mask = new Mask([KEY])

const hex = (text: string, digits: number): string =>
  text.charCodeAt(0).toString(16).padStart(digits, '0')
const each = (text: string, write: (letter: string) => string): string =>
  text.split('').map(write).join('')
const bytesIn = (text: string, write: (byte: number) => string): string =>
  [...Buffer.from(text)].map(write).join('')

const SPELLINGS: { readonly [name: string]: (text: string) => string } = {
  plain: (text) => text,
  upper: (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json of slashes': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'json units': (text) => each(text, (letter) => `\\u${hex(letter, 4)}`),
  'json units in capitals': (text) => each(text, (letter) => `\\u${hex(letter, 4).toUpperCase()}`),
  'json in json': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'string of a program': (text) =>
    each(text, (letter) => (letter < '\u0080' ? `\\x${hex(letter, 2)}` : letter)),
  url: (text) => encodeURIComponent(text),
  'url of all': (text) => bytesIn(text, (byte) => `%${byte.toString(16).padStart(2, '0')}`),
  'url in url': (text) => encodeURIComponent(encodeURIComponent(text)),
  form: (text) => new URLSearchParams({ x: text }).toString().slice(2),
  html: (text) => each(text, (letter) => `&#${letter.charCodeAt(0)};`),
  'html in hex': (text) => each(text, (letter) => `&#x00${hex(letter, 2)};`),
  'html names': (text) => text.replaceAll('"', '&quot;').replaceAll('/', '&sol;'),
  'url in html in json': (text) =>
    JSON.stringify(each(encodeURIComponent(text), (letter) => `&#${letter.charCodeAt(0)};`)).slice(
      1,
      -1,
    ),
  'latin-1': (text) => Buffer.from(text).toString('latin1'),
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex').toUpperCase(),
}

test.each(Object.entries(SPELLINGS))('%s', (_, spell) => {
  const shown = spell(KEY)
  expect(mask.text(`Bearer ${shown} is wrong, ${shown}`)).toBe('Bearer XXX... is wrong, XXX...')
  expect(mask.mayChange(Buffer.from(`{"error":"${shown}"}`))).toBe(true)
  expect(mask.text(spell(KEY.slice(1)))).toBe(spell(KEY.slice(1)))
})

test('base64, wherever the secret is in the text', () => {
  const key = 'PROVIDERKEY-123456'
  const known = new Mask([key])
  for (const before of ['', 'u:', 'user:', 'Bearer ']) {
    for (const after of ['', ':', '\n']) {
      for (const form of ['base64', 'base64url'] as const) {
        const shown = Buffer.from(before + key + after).toString(form)
        const masked = known.text(`got ${shown}.`)
        expect(masked).toContain('XXX...')
        const left = Buffer.from(masked.replace(/^got |\.$/g, ''), 'base64').toString('latin1')
        expect(left).not.toMatch(/PROV|VIDE|DERK|KEY-|1234|3456/)
      }
    }
  }
})

test('texts without a secret stay, with any escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abc\\u0&#x;%1"é€') }), (text) => {
      expect(mask.text(text)).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test('mixtures of spellings, any text around', () => {
  const spell = fc.constantFrom(
    ...['plain', 'json units', 'string of a program', 'html', 'html in hex'].map(
      (name) => SPELLINGS[name]!,
    ),
  )
  const letters = fc.tuple(...KEY.split('').map((letter) => spell.map((write) => write(letter))))
  const around = fc.string({ unit: fc.constantFrom(...'xyz {}[]:,') })
  fc.assert(
    fc.property(letters, around, around, (spelt, before, after) => {
      expect(mask.text(before + spelt.join('') + after)).toBe(`${before}XXX...${after}`)
    }),
    { numRuns: 500 },
  )
})

test('in JSON, texts alone are searched, and the value stays valid', () => {
  const known = new Mask(['12345678', 'embedding', 'nabcdefg'])
  const value = { embedding: [0.123456789], error: 'key 12345678\nabcdefg', model: 'embedding' }
  expect(JSON.parse(known.json(JSON.stringify(value, null, 1)))).toEqual({
    embedding: [0.123456789],
    error: expect.stringMatching(/^key XXX\.\.\.XXX\.\.\.$/),
    model: 'XXX...',
  })
})

test.each([7, 8])('%i bytes in hexadecimal digits are a secret from 8 on', (bytes) => {
  const secret = 'se-cret8'.slice(0, bytes)
  const shown = Buffer.from(secret).toString('hex')
  expect(new Mask([secret]).text(shown)).toBe(bytes < 8 ? shown : 'XXX...')
})

test.each([
  ['&#00000075;ey-123456', true],
  ['&#000000075;ey-123456', false],
  ['key-12345&#xffff;', true],
  ['key-12345&#x1ffff;', false],
])('%s, an entity of HTML: %s', (text, isMasked) => {
  const masked = new Mask(['Key-123456', 'key-12345\uffff']).text(text)
  expect(masked).toBe(isMasked ? 'XXX...' : text)
})

test.each([
  [SECRET_BODY_BYTES_MAX, ['a-secret']],
  [SECRET_BODY_BYTES_MAX + 1, []],
])('of bodies up to a size: %i', (bytes, expected) => {
  const headers = { 'content-type': 'application/json' }
  const body = Buffer.from('{"apiKey":"a-secret"}'.padEnd(bytes))
  const found = secretsOf({ url: 'http://h/', headers, body }).filter((text) => text !== '')
  expect([...new Set(found)].filter((text) => text !== 'application/json')).toEqual(expected)
})

test('short texts are no secrets', () => {
  expect(new Mask(['', 'wrong', 'x']).text('wrongx')).toBe('wrongx')
  expect(new Mask(['1234567'], 8).text('1234567')).toBe('1234567')
})

test('texts that are all escapes take no long time', () => {
  for (const one of ['\\', '%', '&', '&#', '&#0', '\\u', '\\u0061', '"', '\\"', '&#x']) {
    const text = one.repeat(100_000)
    expect(mask.text(text)).toBe(text)
  }
  const value = JSON.stringify(Array.from({ length: 100_000 }, () => '\\"\n'))
  expect(mask.json(value)).toBe(value)
})

test('the secrets of a request', () => {
  const body = Buffer.from(
    JSON.stringify({
      remotes: { b: { url: 'http://b', searchApiKey: 'search-key', write_api_key: 'write-key' } },
      embedders: [{ apiKey: 'embedder-key', headers: { 'X-A': 'Token header-key' } }],
      primaryKey: 'product_id',
      access_token: 'an-access-token',
    }),
  )
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: 'Bearer bearer-key',
    'Proxy-Authorization': `Basic ${Buffer.from('user:pass-word').toString('base64')}`,
    'x-team': 'team-key',
    cookie: 'a=cookie-key; b=2',
    'X-Svc-Proxy-Origin-Remote': 'remote-name',
  }
  const url =
    'https://us%40er:pass%2Fword@host.test/path?key=query%20key&primaryKey=product_id&bare-text'
  const shown = new Mask(secretsOf({ url, headers, body, secrets: ['given-key'] })).text(
    [
      'bearer-key user:pass-word pass-word team-key cookie-key remote-name application/json',
      'pass/word query key query+key bare-text given-key product_id',
      'search-key write-key embedder-key header-key an-access-token http://b',
    ].join('\n'),
  )
  expect(shown.replaceAll('XXX...', '•')).toBe(
    ['• • • • • remote-name application/json', '• • • • • product_id', '• • • • • http://b'].join(
      '\n',
    ),
  )
})

test('URLs that are not valid, headers without a key', () => {
  const secrets = (url: string, authorization: string): readonly string[] =>
    secretsOf({ url, headers: { authorization }, body: null }).filter((text) => text !== '')
  expect(secrets('http//user:secret@x', 'Bearer ')).toEqual([
    'user:secret',
    'secret',
    'user:secret',
    'secret',
  ])
  expect(secrets('http://a/b@c?x', 'bearer')).toEqual(['x', 'x'])
})
