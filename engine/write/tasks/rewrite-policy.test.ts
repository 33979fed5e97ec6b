// When the task log is rewritten.
import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import {
  LOG_BYTES_MAX,
  REWRITE_BYTES_MIN,
  REWRITE_FOR_SECRET_BYTES_MAX,
} from '../task-data/index.ts'
import { RewritePolicy } from './rewrite-policy.ts'

const facts = (bytes: number, garbageBytes: number, endedSecrets = 0) => {
  return { bytes, garbageBytes, endedSecrets }
}
const LONG = LOG_BYTES_MAX / 2

describe('a log is rewritten', () => {
  it.each([
    ['when it is half garbage', facts(REWRITE_BYTES_MIN, REWRITE_BYTES_MIN / 2), true],
    ['not with less garbage', facts(REWRITE_BYTES_MIN, REWRITE_BYTES_MIN / 2 - 1), false],
    ['not while it is short', facts(REWRITE_BYTES_MIN - 1, REWRITE_BYTES_MIN - 1), false],
    ['not with a fifth of garbage', facts(LONG, LONG / 2 - 1), false],
    ['with a fifth of garbage if it is long', facts(LONG + 5 * MiB, LONG / 5 + 2 * MiB), true],
    ['for a secret', facts(REWRITE_FOR_SECRET_BYTES_MAX, 0, 1), true],
    ['not for a secret if that takes long', facts(REWRITE_FOR_SECRET_BYTES_MAX + 1, 0, 1), false],
  ])('%s', (_, given, isDue) => {
    expect(new RewritePolicy().isDue(given)).toBe(isDue)
  })

  it('after a failure only when that gains more', () => {
    const policy = new RewritePolicy()
    policy.failed(facts(8 * MiB, 8 * MiB))
    expect(policy.isDue(facts(16 * MiB - 1, 16 * MiB - 1))).toBe(false)
    expect(policy.isDue(facts(16 * MiB, 8 * MiB))).toBe(true)
  })

  it('after a failure for one more secret, or for the first one after all were removed', () => {
    const policy = new RewritePolicy()
    policy.failed(facts(1, 0, 2))
    expect([2, 3].map((secrets) => policy.isDue(facts(1, 0, secrets)))).toEqual([false, true])
    expect([0, 1].map((secrets) => policy.isDue(facts(1, 0, secrets)))).toEqual([false, true])
  })
})
