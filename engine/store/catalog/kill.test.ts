// A real process that commits is killed at any moment; everything it reported as committed is there
// afterwards.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleInto } from '../../../fixtures/bundle.ts'
import { drawLogSalt, RealFileSystem } from '../storage/index.ts'
import { openManifest } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
const script = join(folder, 'committer.mjs')
const here = (name: string): string => JSON.stringify(join(import.meta.dirname, name))

/** Commits the values 1, 2, 3… endlessly and prints each once it is committed. */
const COMMITTER = `
  import { openManifest } from ${here('index.ts')}
  import { drawLogSalt, RealFileSystem } from ${here('../storage/index.ts')}
  const fs = RealFileSystem.create(process.argv[2])
  const options = { version: '1.50.0', upgrade: false, drawLogSalt, manifestBytesMin: 20_000 }
  const manifest = await openManifest(fs, options)
  for (let n = manifest.state.sequence + 1; ; n++) {
    const value = new Uint8Array(300).fill(n)
    await manifest.commit([{ kind: 'value-set', space: 's', key: String(n % 7), value }])
    process.send(n)
  }
`

beforeAll(() => {
  writeFileSync(join(folder, 'committer.ts'), COMMITTER)
  bundleInto(folder, join(folder, 'committer.ts'), 'committer.mjs')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a killed process', () => {
  it('has lost nothing that it reported', async () => {
    const root = join(folder, 'data.ms')
    let told = 0
    for (let round = 0; round < 4; round++) {
      told = Math.max(told, await runAndKill(root, 5 + round * 60))
      const fs = new RealFileSystem(root)
      const manifest = await openManifest(fs, { version: '1.50.0', upgrade: false, drawLogSalt })
      const { sequence, values } = manifest.state
      expect(sequence).toBeGreaterThanOrEqual(told)
      expect(values.get('s')!.get(String(sequence % 7))).toEqual(new Uint8Array(300).fill(sequence))
      await manifest.close()
    }
    expect(told).toBeGreaterThan(100)
  })
})

/**
 * Waits until the committer has printed at least `count` numbers, kills it, and returns the last
 * number printed.
 */
async function runAndKill(root: string, count: number): Promise<number> {
  const child: ChildProcess = fork(script, [root], { execArgv: [] })
  let last = 0
  let numbers = 0
  child.on('message', (n) => {
    last = Number(n)
    if (++numbers === count) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.once('exit', resolve))
  return last
}
