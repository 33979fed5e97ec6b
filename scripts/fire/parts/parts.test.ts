// The parts of the long versions: figures, bars, the watchdog.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { expect, it } from 'vitest'
import { openBar, percentile, reportText } from './report.ts'

it('figures in lines', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1)
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([], 0.5)]).toEqual([
    50, 99, 0,
  ])
  expect(reportText({ figures: { kills: 3, start: values }, problems: ['lost'] })).toBe(
    'kills  3\nstart  median 50 · p99 99 · most 100 (100 measured) ms\nPROBLEM lost\n',
  )
})

it('a bar on a watched terminal, nothing elsewhere', () => {
  const written: string[] = []
  let ms = 0
  const terminal = {
    out: () => undefined,
    err: (text: string) => void written.push(text),
    isWatched: true,
    columns: 80,
    now: () => ms,
  }
  const bar = openBar(terminal)
  bar(0, 4, 'one')
  ms = 3000
  bar(3, 4, 'four')
  bar(4, 4, '')
  expect(written).toEqual([
    `\r\x1b[K[${' '.repeat(24)}] 0 of 4 · one`,
    `\r\x1b[K[${'='.repeat(18)}${' '.repeat(6)}] 3 of 4 · 1 s left · four`,
    '\r\x1b[K',
  ])
  openBar({ ...terminal, isWatched: false })(1, 4, 'unseen')
  expect(written).toHaveLength(3)
})

it('the watchdog ends a hanging process', () => {
  const source = readFileSync(new URL('watchdog.ts', import.meta.url), 'utf8')
  const { code } = transformSync(source, { loader: 'ts' })
  const endless = `${code}\nstartWatchdog(300).pat('the loop'); setTimeout(() => { for (;;); }, 100)`
  const words = ['--input-type=module', '-e', endless]
  const { signal, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([signal, stderr]).toEqual(['SIGKILL', '\nnothing was heard for 300 ms since: the loop\n'])
})

const run = fileURLToPath(new URL('../../run.mjs', import.meta.url))
const runFire = (...words: string[]) =>
  spawnSync(process.execPath, [run, 'fire', ...words], {
    encoding: 'utf8',
    cwd: join(run, '../..'),
  })

it('the command line', { timeout: 240_000 }, () => {
  const help = runFire('--help')
  expect(help).toMatchObject({ status: 0, stderr: '' })
  for (const command of ['kill', 'damage', 'load', 'hostile', 'network', 'follow']) {
    expect(help.stdout).toContain(` ${command} `)
  }
  expect(runFire('nothing').status).toBe(2)
})
