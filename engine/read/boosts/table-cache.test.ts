// Tables are found again, and all of a thread stay within their limit.
import { expect, it } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { factorTable } from './table-cache.ts'

const viewOf = (documents: number) => ({ stored: () => IdSet.range(0, documents) })

it('a table belongs to a view, its boosts and the documents of their filters', () => {
  const view = viewOf(10)
  const filter = (...ids: number[]) => ({ key: 'filter', ids: IdSet.of(ids) })
  const table = factorTable(view, [{ key: 'a' }, filter(1, 2)])
  expect(factorTable(view, [{ key: 'a' }, filter(1, 2)])).toBe(table)
  for (const boosts of [[filter(1, 2)], [{ key: 'b' }, filter(1, 2)], [{ key: 'a' }, filter(1)]]) {
    expect(factorTable(view, boosts)).not.toBe(table)
  }
  expect(factorTable(viewOf(10), [{ key: 'a' }, filter(1, 2)])).not.toBe(table)
})

it('tables of a small index count with their pages and filters', () => {
  const view = viewOf(10)
  const numbers = Array.from({ length: 1000 }, (_, i) => i)
  const cachedOf = (ids: IdSet): number => {
    const boosts = numbers.map((i) => [{ key: `${ids.max} ${i}`, ids }])
    const tables = boosts.map((own) => factorTable(view, own))
    // From the newest one on, because asking for a table that is gone makes another.
    let cached = 0
    while (factorTable(view, boosts.at(-1 - cached)!) === tables.at(-1 - cached)) cached++
    return cached
  }
  const pages = (16 * MiB) / (32 * KiB)
  expect(cachedOf(IdSet.of([1]))).toBeLessThanOrEqual(pages)
  expect(cachedOf(IdSet.of([1]))).toBeGreaterThan(pages / 2)
  expect(cachedOf(IdSet.range(0, 262_144))).toBeLessThanOrEqual(pages / 2)
})
