// The order in which rules apply, rules without an effect, and changes of one rule.
import { describe, expect, it } from 'vitest'
import { compareRules, hasActions } from './index.ts'
import { patchedRule, type RulePatch } from './rule.ts'

it('rules apply by precedence, then by uid in byte order; those without one come last', () => {
  const rule = (uid: string, precedence?: number) =>
    ({ uid, ...(precedence === undefined ? {} : { precedence }) }) as never
  const all = [rule('b'), rule('𝒜', 1), rule('東', 1), rule('a'), rule('z', 0), rule('c', 10)]
  const order = all.sort(compareRules).map(({ uid }) => uid)
  expect(order).toEqual(['z', '東', '𝒜', 'c', 'a', 'b'])
})

it.each([
  [{}, false],
  [{ pin: [], scale: [] }, false],
  [{ pin: [{ id: '1', position: 0 }] }, true],
  [{ scale: [{ weight: 1 }] }, true],
])('actions %j do something: %j', (actions, answer) => {
  expect(hasActions({ actions })).toBe(answer)
})

describe('a change', () => {
  const full = {
    description: 'd',
    precedence: 0,
    active: false,
    conditions: { query: { isEmpty: true } },
    actions: { pin: [{ id: '1', position: 0 }] },
  } satisfies RulePatch
  const stored = patchedRule(null, 'a', full, 1)

  it('creates a rule with defaults', () => {
    expect(patchedRule(null, 'a', {}, 7)).toEqual({
      uid: 'a',
      lastUpdatedAt: 7,
      active: true,
      conditions: {},
      actions: {},
    })
    expect(stored).toEqual({ uid: 'a', lastUpdatedAt: 1, ...full })
  })

  it.each(Object.keys(full) as readonly (keyof typeof full)[])('resets `%s` by null', (member) => {
    const initial: RulePatch = { active: true, conditions: {}, actions: {} }
    const { [member]: _, ...others } = full
    const expected = initial[member] === undefined ? {} : { [member]: initial[member] }
    expect(patchedRule(stored, 'a', { [member]: null }, 2)).toEqual({
      uid: 'a',
      lastUpdatedAt: 2,
      ...others,
      ...expected,
    })
  })

  it('of nothing keeps the rule as it is', () => {
    expect(patchedRule(stored, 'a', {}, 2)).toBe(stored)
    expect(patchedRule(stored, 'a', { active: true }, 2)).toEqual({
      ...stored,
      active: true,
      lastUpdatedAt: 2,
    })
  })
})
