// The lock by koffi, which calls flock(2) where fs-ext is missing.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const root = fs.mkdtempSync(join(tmpdir(), 'svc-koffi-'))

let storage: typeof import('./index.ts')
let flock: typeof import('./flock.ts')
beforeAll(async () => {
  vi.resetModules()
  vi.stubEnv('SVC_NATIVES', 'koffi')
  storage = await import('./index.ts')
  flock = await import('./flock.ts')
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
  fs.rmSync(root, { recursive: true })
})

it.runIf(process.platform === 'linux')('has one writer or many readers', () => {
  expect(flock.lockWay()).toBe('koffi')
  const system = new storage.RealFileSystem(root)
  const files = (): number => fs.readdirSync('/proc/self/fd').length
  const writer = system.lock('LOCK')
  const before = files()
  expect(() => system.lock('LOCK')).toThrow('uses this database')
  expect(() => system.lockForReading('LOCK')).toThrow('uses this database')
  expect(files()).toBe(before)
  writer.release()
  const readers = [system.lockForReading('LOCK'), system.lockForReading('LOCK')]
  expect(() => system.lock('LOCK')).toThrow('uses this database')
  for (const reader of readers) reader.release()
  system.lock('LOCK').release()
})
