// Documents that a search lacks or must not show are named.
import { expect, test } from 'vitest'
import { wrongDocuments } from './trust-traffic.ts'

test('documents that lack, that are old, that are there twice, or that no client wrote are named', () => {
  const least = new Map([
    [1, 1],
    [2, 5],
  ])
  const most = new Map([...least, [3, 1]])
  const one = { id: 1, version: 1 }
  const two = { id: 2, version: 5 }
  expect(wrongDocuments([one, two], least, most)).toEqual({ missing: null, wrong: null })
  expect(wrongDocuments([one], least, most).missing).toContain('2 (version 5, found nothing)')
  expect(wrongDocuments([one, { id: 2, version: 4 }], least, most).missing).toContain('found 4')
  expect(wrongDocuments([one, two, two], least, most).wrong).toContain('twice')
  expect(wrongDocuments([one, { id: 2, version: 6 }], least, most).wrong).toContain('"version":6')
  expect(wrongDocuments([one, two, { id: 4, version: 1 }], least, most).wrong).toContain('"id":4')
})
