// Any bytes as an id set: refused with a typed error, or the one encoding of a set on which all
// readers agree. Readers in place also get unchecked bytes and must return. Page:
// format/idset/IDSET.md

import roaring from 'roaring'
import { assert, CorruptionError } from '../format/errors.ts'
import {
  decodeIdSet,
  encodeIdSet,
  encodeIds,
  IdSet,
  membersAmong,
  orEncoded,
  ranksOf,
  readEncoded,
} from '../format/idset/index.ts'
import { idSetNotes } from '../format/idset/test-notes.ts'
import type { FuzzTarget } from './target.ts'

const IDS_ASKED = 500
const WORDS = 1 << 16

export const target: FuzzTarget = {
  name: 'idset',
  seeds: () => [
    encodeIdSet(IdSet.empty),
    encodeIds(Uint32Array.of(1, 3, 65536)),
    encodeIds(Uint32Array.of(0, 40, 65535, 131072, 0x7fffffff, 0xffffffff)),
    encodeIdSet(IdSet.range(70_000, 75_000)),
    encodeIds(Uint32Array.from({ length: 9000 }, (_, i) => i * 7)),
  ],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 30_000,
}

function run(input: Uint8Array): void {
  walkUnchecked(input)
  const set = decodeIdSet(input)
  assert(Buffer.compare(encodeIdSet(set), input) === 0, 'a set has one encoding')
  const ids = set.toArray()
  assert(idSetNotes(input).at(-1)!.to === input.length, 'every byte is explained')
  const read = new Uint32Array(ids.length)
  assert(readEncoded(input, 0, read, 0) === ids.length, 'as many are read')
  assert(
    read.every((id, i) => id === ids[i]),
    'the same are read',
  )
  // The bytes were checked above: damaged bytes crash the native package.
  const merged = roaring.RoaringBitmap32.deserialize(input, 'portable').toUint32Array()
  assert(merged.length === ids.length, 'the native package agrees')
  assert(
    merged.every((id, i) => id === ids[i]),
    'the native package reads the same',
  )
  const words = new Uint32Array(WORDS)
  orEncoded(input, 0, words)
  const low = ids.filter((id) => id < WORDS * 32)
  assert(IdSet.ofWords(words).equals(IdSet.ofSorted(low)), 'the same bits are set')
  checkRanks(input, ids)
}

function checkRanks(input: Uint8Array, ids: Uint32Array): void {
  const step = Math.ceil(ids.length / IDS_ASKED)
  const asked = new Set<number>()
  for (let i = 0; i < ids.length; i += step) asked.add(ids[i]!).add(ids[i]! ^ 1)
  const sorted = Uint32Array.from(asked).sort()
  const ranks = new Int32Array(sorted.length)
  ranksOf(input, 0, sorted, sorted.length, ranks)
  let members = 0
  sorted.forEach((id, i) => {
    const rank = ranks[i]!
    assert(rank < 0 || ids[rank] === id, 'a rank is the place of its id')
    members += Number(rank >= 0)
  })
  assert(members >= ids.length / Math.max(1, step) - 1, 'members have ranks')
}

/** Walks unchecked bytes: wrong numbers or an error, in bounded time. */
function walkUnchecked(input: Uint8Array): void {
  const asked = Uint32Array.of(0, 1, 70_000, 0x7fffffff, 0xffffffff)
  const walks = [
    () => orEncoded(input, 0, new Uint32Array(64)),
    () => readEncoded(input, 0, new Uint32Array(64), 0),
    () => ranksOf(input, 0, asked, asked.length, new Int32Array(asked.length)),
    () => membersAmong(input, 0, new Uint32Array(64).fill(1), asked.slice(), new Int32Array(9)),
  ]
  for (const walk of walks) {
    try {
      walk()
    } catch (error) {
      // A refusal in one walk must not hide errors of the others.
      if (!(error instanceof CorruptionError)) throw error
    }
  }
}
