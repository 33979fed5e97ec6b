// When hedging calls a second owner: after most of the durations of the first, within bounds.
import { expect, test } from 'vitest'
import { Latencies } from './latencies.ts'
import { DURATIONS_KEPT, DURATIONS_MIN, HEDGE_MS, HEDGE_MS_MAX, HEDGE_MS_MIN } from './limits.ts'

test.each<[string, readonly number[], number]>([
  ['no durations', [], HEDGE_MS],
  ['too few durations', Array(DURATIONS_MIN - 1).fill(7), HEDGE_MS],
  ['enough durations', Array(DURATIONS_MIN).fill(7), 7],
  ['short ones', Array(DURATIONS_MIN).fill(HEDGE_MS_MIN - 1), HEDGE_MS_MIN],
  ['long ones', Array(DURATIONS_MIN).fill(HEDGE_MS_MAX + 1), HEDGE_MS_MAX],
  ['one in twenty long', [...Array(19).fill(7), 50], 50],
  ['one in a hundred long', [...Array(99).fill(7), 50], 7],
  ['the latest ones', [...Array(DURATIONS_KEPT).fill(50), ...Array(DURATIONS_KEPT).fill(7)], 7],
])('after %s', (_, durations, expected) => {
  const latencies = new Latencies()
  latencies.add('other', 900)
  for (const ms of durations) latencies.add('b', ms)
  expect(latencies.hedgeDelay('b')).toBe(expected)
})
