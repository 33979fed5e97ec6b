// Growth over a day.
import { expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import type { ThreadMemory } from '../parts/inspector.ts'
import { type Day, growth, type Sample } from './samples.ts'

const thread = (name: string, mib: number): ThreadMemory => {
  return { name, heap: mib * MiB, external: 2 * mib * MiB, buffers: mib * MiB }
}
const sample = (hour: number, change: Partial<Sample> = {}): Sample => ({
  hour,
  memoryBytes: 200 * MiB,
  threads: [thread('main', 10), thread('search-0', 12)],
  descriptors: 50,
  diskBytes: 80 * MiB,
  ...change,
})
const dayOf = (change: (hour: number) => Partial<Sample>): Day => ({
  samples: Array.from({ length: 24 }, (_, hour) => sample(hour, change(hour))),
  heap: [10 * MiB, 11 * MiB],
  isSteady: false,
})

it('growth is a lasting increase, not a temporary one', () => {
  expect(growth(dayOf(() => ({})))).toEqual([])
  expect(growth(dayOf((hour) => ({ memoryBytes: (hour === 20 ? 900 : 200) * MiB })))).toEqual([])
  expect(growth(dayOf((hour) => ({ memoryBytes: (200 + 20 * hour) * MiB })))).toHaveLength(1)
  expect(growth(dayOf((hour) => ({ descriptors: 50 + 3 * hour })))).toEqual([
    'descriptors grew from 68 to 110',
  ])
  expect(growth(dayOf((hour) => ({ diskBytes: (80 + 10 * hour) * MiB })))).toHaveLength(1)
  expect(growth({ ...dayOf(() => ({})), heap: [30 * MiB, 60 * MiB] })).toHaveLength(1)
})

it('checks each thread separately', () => {
  const grown = (hour: number): Partial<Sample> => {
    return { threads: [thread('main', 10), thread('search-0', hour < 12 ? 12 : 40)] }
  }
  expect(growth(dayOf(grown))).toEqual([
    'the heap of search-0 grew from 12 MiB to 40 MiB',
    'external memory of search-0 grew from 24 MiB to 80 MiB',
    'buffers of search-0 grew from 12 MiB to 40 MiB',
  ])
  const gone = (hour: number): Partial<Sample> => (hour < 12 ? {} : { threads: [] })
  expect(growth(dayOf(gone))).toEqual([])
})

it('a steady day tolerates less growth', () => {
  const slow = dayOf((hour) => ({ memoryBytes: (200 + 2 * hour) * MiB }))
  expect(growth(slow)).toEqual([])
  expect(growth({ ...slow, isSteady: true })).toHaveLength(1)
  expect(growth({ ...dayOf(() => ({})), isSteady: true })).toEqual([])
})
