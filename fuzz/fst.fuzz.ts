// Any bytes opened as a dictionary: every method returns in bounded time or throws a typed error. A
// dictionary that passes the full check is sound. Page: format/fst/FST.md

import { compareBytes } from '../format/bytes/index.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import { buildFst, Fst, FstCursor, FuzzyCursor, fstDot, verifyFst } from '../format/fst/index.ts'
import { fstNotes } from '../format/fst/inspect.ts'
import type { FuzzTarget } from './target.ts'

/** A few bytes of nodes can hold any number of keys, so walks stop here. */
const KEYS_WALKED_MAX = 300
const QUERY = 'bart'

export const target: FuzzTarget = {
  name: 'fst',
  seeds: () => [
    bodyOf([]),
    bodyOf(['']),
    bodyOf(['art', 'arts', 'bart', 'barts', 'cart', 'zoo']),
    bodyOf(['', 'é', 'éa', '日本', '日曜', 'A b', '😀']),
    bodyOf(Array.from({ length: 400 }, (_, i) => `${i * i}${'xyz'.slice(i % 4)}`)),
  ],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 2048,
}

function run(input: Uint8Array): void {
  const fst = new Fst(input)
  let first: unknown = null
  const sound = survives(() => verifyFst(fst))
  const walks = [
    () => walkKeys(fst, sound),
    () => walkNear(fst, false),
    () => walkNear(fst, true),
    () => look(fst, input.subarray(0, 8)),
    () => assert(fstDot(fst, 50).length > 0, 'a graph is drawn'),
    () => assert(fstNotes(input).length > 0, 'the bytes are explained'),
  ]
  for (const walk of walks) {
    try {
      walk()
    } catch (error) {
      // A refusal in one walk must not hide errors of the others; a sound dictionary must not be
      // refused.
      if (sound || !(error instanceof CorruptionError)) throw error
      first ??= error
    }
  }
  if (first !== null) throw first
}

function survives(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    // Fuzzing searches for all other errors.
    if (!(error instanceof CorruptionError)) throw error
    return false
  }
}

function walkKeys(fst: Fst, sound: boolean): void {
  const cursor = new FstCursor(fst)
  let last: Uint8Array | null = null
  for (let i = 0; i < KEYS_WALKED_MAX && cursor.next(); i++) {
    const key = cursor.bytes.slice(0, cursor.length)
    const found = fst.ordinalOf(key)
    const again = fst.key(cursor.ordinal)
    if (!sound) continue
    assert(last === null || compareBytes(last, key) < 0, 'keys ascend')
    assert(found === cursor.ordinal && i === cursor.ordinal, 'ordinals are dense')
    assert(compareBytes(again, key) === 0, 'a key is found by its ordinal')
    assert(fst.lowerBound(key) === i && fst.range(key).from === i, 'a key begins its range')
    last = key
  }
  if (!sound || fst.size > KEYS_WALKED_MAX) return
  assert(!cursor.next() && cursor.ordinal === fst.size - 1, 'there are as many keys as it says')
}

function walkNear(fst: Fst, prefix: boolean): void {
  const cursor = new FuzzyCursor(fst, QUERY, { maxDistance: 2, prefix, otherFirstDistanceMax: 2 })
  for (let i = 0; i < KEYS_WALKED_MAX && cursor.next(); i++) {
    assert(cursor.distance <= 2, 'what is found is near')
    assert(cursor.ordinal < fst.size, 'an ordinal is below the number of keys')
  }
}

function look(fst: Fst, probe: Uint8Array): void {
  const bound = fst.lowerBound(probe)
  assert(bound >= 0 && bound <= fst.size, 'a bound is among the keys')
  const range = fst.range(probe)
  assert(range.from <= range.to && range.to <= fst.size, 'a range is among the keys')
  const cursor = new FstCursor(fst)
  cursor.seek(probe)
  cursor.next()
  cursor.seekPrefix(probe)
  cursor.next()
}

const bodyOf = (words: readonly string[]): Uint8Array =>
  buildFst(words.map((word) => new TextEncoder().encode(word)))
