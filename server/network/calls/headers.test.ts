// Headers of copies of tasks, written and read.
import { expect, test } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { namesIn } from '../writes/change-requests.ts'
import { importHeaders, originHeaders, RENEWED, readTaskNetwork } from './headers.ts'

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
