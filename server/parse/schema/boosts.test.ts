// Boosts as they are sent.
import { expect, test } from 'vitest'
import { boosts } from './boosts.ts'
import type { Json } from './json-value.ts'
import { readerOf } from './schemas.ts'
import { ValidationError } from './validation-error.ts'

const read = readerOf(boosts)
const DECAY = { field: 'made', shape: 'exp', origin: 'now', scale: 86_400 }

test('null members are absent', () => {
  const place = { field: '_geo', shape: 'linear', origin: { lat: 1, lng: 2 }, scale: 5 }
  const sent = [{ filter: ['a = 1'], weight: 2, field: null }, DECAY, { ...place, decay: null }]
  expect(read(sent)).toEqual([{ filter: ['a = 1'], weight: 2 }, DECAY, place])
})

test('dates with and without a time are origins', () => {
  for (const origin of ['2024-02-29', '2024-02-29T12:00:00Z', '2024-02-29t12:00:00.5+01:00', 7]) {
    expect(read([{ ...DECAY, origin }])).toEqual([{ ...DECAY, origin }])
  }
})

test('others are refused', () => {
  const refused: readonly Json[] = [
    { filter: 'a =', weight: 1 },
    { filter: '_foreign(a, b = 1)', weight: 1 },
    { ...DECAY, origin: '2023-02-29' },
    { ...DECAY, origin: true },
    { ...DECAY, origin: { lat: 1 } },
    { ...DECAY, shape: 'round' },
    { ...DECAY, other: 1 },
    { ...DECAY, scale: -1 },
    {},
  ]
  for (const boost of refused) expect(() => read([DECAY, boost])).toThrow(ValidationError)
  expect(() => read(Array(21).fill(DECAY))).toThrow(ValidationError)
})
