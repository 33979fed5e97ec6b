// Older snapshots beside the last one: their names, also when the clock stands still or is set back,
// and which of them go.
import { expect, test } from 'vitest'
import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import { removeOldest, retain, stampOf } from './retained.ts'

const MICROS = Date.UTC(2026, 2, 2, 10, 11, 12, 131) * 1000 + 415
const STAMP = '20260302T101112.131415Z'

function folder(...names: readonly string[]): FileSystem {
  const fs = new FakeDisk().mount()
  for (const name of ['data.ms.snapshot', ...names]) fs.open(name, 'create').close()
  return fs
}

const kept = (fs: FileSystem): readonly string[] =>
  fs
    .list('')
    .filter((name) => name !== 'data.ms.snapshot')
    .sort()

const retained = (fs: FileSystem, stamp: string): void =>
  retain(fs, 'data.ms.snapshot', 'data.ms.snapshot', { stamp, most: 2 })

test('a stamp has the time to the microsecond', () => {
  expect(stampOf(MICROS)).toBe(STAMP)
  expect(stampOf(MICROS - 415)).toBe('20260302T101112.131000Z')
})

test('each snapshot sorts behind those before it', () => {
  const fs = folder()
  for (const stamp of [STAMP, STAMP, stampOf(MICROS - 1_000_000), stampOf(MICROS + 9)]) {
    retained(fs, stamp)
  }
  const names = [0, 1, 2, 9].map((more) => `data.ms-${stampOf(MICROS + more)}.snapshot`)
  expect(kept(fs)).toEqual(names)
})

test('the oldest are removed, and no other file', () => {
  const others = ['data.ms-x.snapshot', `other-${STAMP}.snapshot`, `data.ms-${STAMP}.tmp`]
  const stamps = [0, 1, 2].map((more) => `data.ms-${stampOf(MICROS + more)}.snapshot`)
  const fs = folder(...others, ...stamps)
  removeOldest(fs, 'data.ms.snapshot', { stamp: STAMP, most: 4 })
  expect(kept(fs)).toEqual([...others, ...stamps].sort())
  removeOldest(fs, 'data.ms.snapshot', { stamp: STAMP, most: 2 })
  expect(kept(fs)).toEqual([...others, ...stamps.slice(1)].sort())
})
