// Headers of copies of tasks, written and read.
import { expect, test } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { namesIn } from '../writes/change-requests.ts'
import {
  checkOrigin,
  hasTaskHeaders,
  importHeaders,
  originHeaders,
  RENEWED,
  readTaskNetwork,
} from './headers.ts'

const VERSION = '01980000-0000-7000-8000-000000000001'
const origin = { remoteName: 'übung/1', taskUid: asTaskUid(7), networkVersion: VERSION }

const context = (headers: { readonly [name: string]: string }) => {
  const low = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { header: (name: string) => low.get(name.toLowerCase()) }
}

test('reads the headers that it has written', () => {
  expect(readTaskNetwork(context({}))).toBeNull()
  expect(readTaskNetwork(context(originHeaders(origin)))).toEqual({ kind: 'origin', origin })
  const source = {
    remoteName: 'b',
    indexName: 'films',
    documentCount: 3,
    indexCount: 2,
    key: '5',
    totalDocuments: 9,
  }
  expect(readTaskNetwork(context(importHeaders(source, origin)))).toEqual({
    kind: 'import',
    source,
    change: origin,
  })
})

test('refuses malformed headers', () => {
  const { 'X-Svc-Proxy-Origin-TaskUid': uid, ...rest } = originHeaders(origin)
  expect(uid).toBe('7')
  const alone = Object.fromEntries(Object.entries(rest).filter(([name]) => /Remote/.test(name)))
  expect(() => readTaskNetwork(context(alone))).toThrow('is missing')
  for (const value of ['', '-1', '1e3', '99999999999', '%ff']) {
    const headers = { ...originHeaders(origin), 'X-Svc-Proxy-Origin-TaskUid': value }
    expect(() => readTaskNetwork(context(headers))).toThrow('Origin-TaskUid')
  }
  const headers = { ...originHeaders(origin), 'X-Svc-Proxy-Origin-Network-Version': 'x' }
  expect(() => readTaskNetwork(context(headers))).toThrow('UUID')
})

test('names in a header are percent-encoded; others are refused', () => {
  expect(namesIn(RENEWED, undefined)).toEqual([])
  expect(namesIn(RENEWED, 'a%2Cb,%C3%A9,')).toEqual(['a,b', 'é', ''])
  for (const value of ['%', 'a,%zz', '%ff', '%E0%A4%A']) {
    expect(() => namesIn(RENEWED, value)).toThrow('Invalid value for header `svc-proxy-renewed`')
  }
})

const PREFIXES = ['X-Svc-Proxy-', 'Svc-Proxy-']
const ORIGIN = { 'Origin-Remote': 'b', 'Origin-TaskUid': '7', 'Origin-Network-Version': VERSION }
const IMPORT = { 'Import-Remote': 'b', 'Import-Index': 'f', 'Import-Docs': '3' }
const METADATA = {
  'Import-Index-Count': '2',
  'Import-Task-Key': '5',
  'Import-Total-Index-Docs': '9',
}
const prefixed = (headers: object, prefix = PREFIXES[0]!) =>
  context(Object.fromEntries(Object.entries(headers).map(([name, one]) => [prefix + name, one])))
const without = (headers: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

test.each(PREFIXES)('headers that begin with %s count', (prefix) => {
  expect(readTaskNetwork(prefixed(ORIGIN, prefix))).toMatchObject({ kind: 'origin' })
  for (const name of Object.keys({ ...ORIGIN, ...IMPORT, ...METADATA })) {
    expect(hasTaskHeaders(prefixed({ [name]: '' }, prefix)), name).toBe(true)
  }
  expect(hasTaskHeaders(prefixed({ Other: '1' }, prefix))).toBe(false)
  expect(hasTaskHeaders(context({ [RENEWED]: '' }))).toBe(true)
})

test('some headers have defaults', () => {
  const nil = '00000000-0000-0000-0000-000000000000'
  const bare = readTaskNetwork(prefixed(without(ORIGIN, 'Origin-Network-Version')))
  expect(bare).toMatchObject({ origin: { networkVersion: nil } })
  const whole = { ...ORIGIN, ...IMPORT, ...METADATA }
  const keyless = readTaskNetwork(prefixed(without(whole, 'Import-Task-Key', 'Import-Index')))
  expect(keyless).toMatchObject({ source: { key: null, indexName: null, totalDocuments: 9 } })
  const written = importHeaders(
    (keyless as Extract<typeof keyless, { kind: 'import' }>).source,
    origin,
  )
  expect(Object.keys(written).some((name) => /Import-Index$|Task-Key/.test(name))).toBe(false)
})

test.each<[string, object, RegExp]>([
  [
    'the uid of a task alone',
    { 'Origin-TaskUid': '7' },
    /Origin-TaskUid was provided but .*Origin-Remote is/,
  ],
  ['a name alone', { 'Origin-Remote': 'b' }, /Origin-Remote was provided but .*Origin-TaskUid is/],
  [
    'an import without its origin',
    { ...IMPORT, ...METADATA },
    /origin headers: missing, import headers: present/,
  ],
  ['an import without metadata', { ...ORIGIN, ...IMPORT }, /import metadata: missing/],
  ['metadata without an import', { ...ORIGIN, ...METADATA }, /import headers: missing/],
  [
    'documents alone',
    { ...ORIGIN, 'Import-Docs': '3' },
    /`Import` .*Remote: missing, .*Index: missing, .*Docs: provided/,
  ],
  ['an index alone', { ...ORIGIN, 'Import-Index': 'f' }, /Import-Index: provided/],
  ['a remote alone', { ...ORIGIN, 'Import-Remote': 'b' }, /Import-Remote: provided/],
  ['a key alone', { 'Import-Task-Key': '5' }, /`Import-Metadata` .*Task-Key: provided/],
  ['a number of indexes alone', { 'Import-Index-Count': '5' }, /Index-Count: provided/],
  ['a total alone', { 'Import-Total-Index-Docs': '5' }, /Total-Index-Docs: provided/],
])('%s is refused', (_, headers, words) => {
  expect(() => readTaskNetwork(prefixed(headers))).toThrow(words)
})

test.each([
  ['', 'empty string'],
  ['1x', 'invalid digit'],
  ['4294967296', 'too large'],
  ['%c3%28', 'from index 0'],
  ['ab%c3%28', 'from index 2'],
])('the number %j is refused: %s', (value, words) => {
  const headers = prefixed({ ...ORIGIN, 'Origin-TaskUid': value })
  expect(() => readTaskNetwork(headers)).toThrow(words)
})

test.each([
  ['4294967295', 4294967295],
  ['+7', 7],
  ['%37', 7],
])('the number %j is %i', (value, taskUid) => {
  const headers = prefixed({ ...ORIGIN, 'Origin-TaskUid': value })
  expect(readTaskNetwork(headers)).toMatchObject({ origin: { taskUid } })
})

test('a name may have any characters, encoded or not', () => {
  for (const value of ['%C3%A9%', '%zz%', 'a%2fb', '%2']) {
    const expected = value.replace('%C3%A9', 'é').replace('%2f', '/')
    const read = readTaskNetwork(prefixed({ ...ORIGIN, 'Origin-Remote': value }))
    expect(read).toMatchObject({ origin: { remoteName: expected } })
  }
})

test('an origin is a remote of a known network', () => {
  const networks = [{ remotes: new Map() }, { remotes: new Map([['b', null as never]]) }]
  checkOrigin('b', networks)
  expect(() => checkOrigin('c', networks)).toThrow('is not a remote')
})
