// Which faults the type check finds.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { TypeCheck } from './types.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it('finds a fault with another type, and none with another value', { timeout: 300_000 }, () => {
  const types = new TypeCheck(ROOT)
  onTestFinished(() => types.close())
  const file = 'format/ids.ts'
  const end = readFileSync(`${ROOT}${file}`).toString().length
  const passes = (text: string): boolean => types.passes(file, { kind: '', start: end, end, text })
  expect(passes('export const added: number = 7\n')).toBe(true)
  expect(passes("export const added: number = 'x'\n")).toBe(false)
  expect(passes('export const added: number = 7\n')).toBe(true)
  const page = (text: string): boolean =>
    types.passes('server/page/api.ts', { kind: '', start: 0, end: 0, text })
  expect([page(''), page('export const added: number = document.title\n')]).toEqual([true, false])
})
