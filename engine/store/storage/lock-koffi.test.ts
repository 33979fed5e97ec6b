// The lock by koffi, which calls flock(2) where fs-ext is missing.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { withNatives } from './test-natives.ts'

const root = fs.mkdtempSync(join(tmpdir(), 'svc-koffi-'))

const loaded = withNatives('koffi')
afterAll(() => fs.rmSync(root, { recursive: true }))

it.runIf(process.platform === 'linux')('has one writer or many readers', () => {
  expect(loaded.flock.lockWay()).toBe('koffi')
  const system = new loaded.storage.RealFileSystem(root)
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
