// The shard of a document: test vectors that every instance of every release must agree with.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Hash, xxh3 } from '../../../format/bytes/index.ts'
import { elected, Holdings, Rendezvous } from './rendezvous.ts'

const hashOf = (bytes: Uint8Array): string => {
  const out: Hash = { high: 0, low: 0 }
  const copy = new Uint8Array(bytes)
  xxh3(new DataView(copy.buffer), copy.length, out)
  const hex = (part: number): string => part.toString(16).padStart(8, '0')
  return hex(out.high) + hex(out.low)
}

const keyOf = (shard: string, id: string): Uint8Array =>
  Buffer.concat([Buffer.from(shard), Buffer.of(255), Buffer.from(id), Buffer.of(255)])

test.each([
  ['s1', '1', 'd3b699fc34918657'],
  ['s2', '1', '0ff465b7ad08d556'],
  ['s3', '1', '5f5f233413e8d8a1'],
  ['s1', '2', 'a70458a46705a16c'],
  ['s2', '2', '8f21fd6ef6d57731'],
  ['s3', '2', 'a63ff7d662637285'],
  ['s1', 'movie-42', '2ed035ab7c1022a1'],
  ['s2', 'movie-42', 'e3fc9c1bf9ea34a6'],
  ['s3', 'movie-42', 'f71a94f2a1b5b08b'],
])('the hash of shard %s and document %s is %s', (shard, id, hash) => {
  expect(hashOf(keyOf(shard, id))).toBe(hash)
})

test('hashes an empty input', () => {
  expect(hashOf(new Uint8Array(0))).toBe('2d06800538d394c2')
})

test('assigns a document to the shard with the greatest hash', () => {
  const names = ['s1', 's2', 's3']
  const rendezvous = new Rendezvous(names)
  const shards = Array.from({ length: 10 }, (_, id) => {
    return names[rendezvous.winner(Buffer.from(String(id)))]
  })
  expect(shards.join(' ')).toBe('s1 s1 s1 s1 s1 s3 s2 s3 s2 s3')
  expect(new Rendezvous([]).winner(Buffer.from('1'))).toBe(-1)
  expect(elected([], 'x')).toBeNull()
  expect(elected(['b', 'a'], 'x')).toBe(elected(['a', 'b'], 'x'))
})

test('moves documents only to a new shard, none between the others', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 600 }), { maxLength: 50 }), (ids) => {
      const [few, more] = [new Rendezvous(['a', 'c']), new Rendezvous(['a', 'b', 'c'])]
      for (const id of ids.map((text) => Buffer.from(text))) {
        const before = ['a', 'c'][few.winner(id)]
        const after = ['a', 'b', 'c'][more.winner(id)]
        expect([before, 'b']).toContain(after)
      }
    }),
  )
})

test('holds the documents of the shards of the instance', () => {
  const all = new Holdings({ names: ['s1', 's2', 's3'], held: [true, false, true] })
  const held = Array.from({ length: 10 }, (_, id) => all.holds(Buffer.from(String(id))))
  expect(held).toEqual([true, true, true, true, true, true, false, true, false, true])
  expect(new Holdings({ names: [], held: [] }).holds(Buffer.from('1'))).toBe(false)
})
