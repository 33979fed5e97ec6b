// Which requests are expected to hold a thread for long by their size alone.
import { expect, it } from 'vitest'
import { LARGE_REQUEST_UNITS } from './limits.ts'
import type { JobRequest, ViewsRequest } from './protocol.ts'
import { isLarge } from './size.ts'

const search = (request: object): JobRequest =>
  ({ kind: 'search', request }) as unknown as JobRequest
const searches = (...filters: readonly string[]): ViewsRequest =>
  ({ kind: 'searches', searches: filters.map((filter) => ({ request: { filter } })) }) as never

it('counts text at any depth, lists by their elements, and filters held as bytes', () => {
  const half = 'x'.repeat(LARGE_REQUEST_UNITS / 2)
  expect(isLarge(search({ q: 'a', filter: null, limit: 20 }))).toBe(false)
  expect(isLarge(search({ filter: half }))).toBe(false)
  expect(isLarge(search({ filter: [half, [half]] }))).toBe(true)
  expect(isLarge(search({ q: half + half }))).toBe(true)
  expect(isLarge(search({ filter: Array(LARGE_REQUEST_UNITS + 1).fill('') }))).toBe(true)
  expect(isLarge(search({ filter: Array(100).fill('n = 1') }))).toBe(false)
  // Many lists of empty texts.
  expect(isLarge(search({ filter: Array(200).fill(Array(200).fill('')) }))).toBe(true)
  expect(isLarge(search({ filter: Buffer.alloc(LARGE_REQUEST_UNITS) }))).toBe(true)
  expect(isLarge(search({ vector: new Float64Array(4096) }))).toBe(false)
  expect(isLarge(searches(half))).toBe(false)
  expect(isLarge(searches(half, half))).toBe(true)
  expect(isLarge({ kind: 'document', id: half + half } as JobRequest)).toBe(false)
})

it('counts one for each value besides its text, up to the limit', () => {
  const text = (units: number): string => 'x'.repeat(units)
  // The object and the text count one each, so does each element of a list.
  for (const [largest, of] of [
    [LARGE_REQUEST_UNITS - 2, (n: number) => ({ q: text(n) })],
    [LARGE_REQUEST_UNITS - 2, (n: number) => ({ filter: new Uint8Array(n) })],
    [LARGE_REQUEST_UNITS - 2, (n: number) => ({ facets: Array(n).fill(7) })],
    [LARGE_REQUEST_UNITS - 3, (n: number) => ({ limit: 7, q: text(n) })],
    [LARGE_REQUEST_UNITS - 3, (n: number) => ({ sort: ['', text(n - 1)] })],
  ] as const) {
    expect([largest, largest + 1].map((n) => isLarge(search(of(n))))).toEqual([false, true])
  }
})
