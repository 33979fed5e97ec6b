// Every benchmark runs, returns the same result twice, and executes and allocates no more than the
// last entry of the history.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BENCHMARKS } from './list.ts'

test('every benchmark executes and allocates no more than recorded', () => {
  const program = fileURLToPath(new URL('../run.mjs', import.meta.url))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'bench', '--counts'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status, `${stdout}${stderr}`).toBe(0)
  for (const { name } of BENCHMARKS) expect(stdout).toContain(`${name} `)
}, 300_000)
