// The faults that are put into a source.
import { expect, it } from 'vitest'
import { mutationsOf, withLoopChecks } from './mutations.ts'

const faulty = (source: string): readonly string[] =>
  mutationsOf('a.ts', source).map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  )

it.each([
  ['a < b', ['a <= b']],
  ['a === (b - 1)', ['a !== (b - 1)', 'a === (b + 1)']],
  ['x ??= 1', []],
  ['a ?? b ?? c', ['((a ?? b) && (c))', '((a) && (b)) ?? c']],
  ['if (a) b()', ['if (false) b()', 'if (a) ;']],
  [
    'const c = !a && true',
    ['const c = !a || true', 'const c = a && true', 'const c = !a && false'],
  ],
  ['n++', ['n--']],
  ['await sync(folder)', [';']],
  ["const words = a + 'b' + `c` + d", []],
  ['assert(ok > 0, "message")', []],
  ['type A = true | false', []],
  ['const f = (a: number): a is 1 => a > 0', ['const f = (a: number): a is 1 => a >= 0']],
])('%s', (source, expected) => {
  expect([...faulty(source)].sort()).toEqual([...expected].sort())
})

it('refuses a source that it cannot read', () => {
  expect(() => mutationsOf('a.ts', 'const = 1')).toThrow('a.ts')
})

it.each([
  ['for (const a of b) c(a)', 'for (const a of b) { x; c(a) }'],
  ['while (a) { do b(); while (c) }', 'while (a) { x; { do { x; b(); } while (c) } }'],
  ['for (;;) if (a) break\nelse b()', 'for (;;) { x; if (a) break\nelse b() }'],
])('%s is checked', (source, expected) => {
  expect(withLoopChecks('a.ts', source, 'x;')).toBe(expected)
})
