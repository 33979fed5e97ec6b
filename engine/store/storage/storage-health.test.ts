// The health of a database whose folder is gone or accepts no bytes.
import { expect, it } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { FakeDisk, type FileSystem } from './index.ts'
import { FREE_BYTES_MIN, HEALTHY_MS, RECOVERY_PAUSE_MS } from './limits.ts'
import { type LogHealth, StorageHealth } from './storage-health.ts'

class Scene {
  readonly fs: FileSystem = new FakeDisk().mount()
  isInPlace = true
  usable = true
  now = 0
  recoveries = 0
  readonly #health: StorageHealth

  constructor() {
    const scene = this
    const log: LogHealth = {
      get usable() {
        return scene.usable
      },
      isInPlace: () => scene.isInPlace,
      recover: () => {
        scene.recoveries++
        return Promise.reject(new StorageError('io', 'log', 'still broken'))
      },
    }
    this.#health = new StorageHealth(
      this.fs,
      () => [log],
      () => this.now,
    )
  }

  problem(): string | null {
    this.now += HEALTHY_MS
    return this.again()
  }

  /** Asks again in the same millisecond. */
  again(): string | null {
    return this.#health.problem()
  }
}

const failing = (code: 'missing' | 'permission' | 'io') => () => {
  throw new StorageError(code, 'secret/path', 'secret words')
}

it('names the problem, without paths', () => {
  const scene = new Scene()
  expect(scene.problem()).toBe(null)
  scene.isInPlace = false
  expect(scene.problem()).toMatch(/removed, moved or replaced/)
  scene.isInPlace = true
  scene.fs.checkWritable = failing('missing')
  expect(scene.problem()).toMatch(/removed, moved or replaced/)
  scene.fs.checkWritable = failing('permission')
  expect(scene.problem()).toBe('The database folder cannot be written to.')
  scene.fs.checkWritable = failing('io')
  expect(scene.problem()).toBe('The database could not be written to.')
  scene.fs.checkWritable = () => undefined
  scene.fs.freeBytes = () => FREE_BYTES_MIN - 1
  expect(scene.problem()).toBe('There is no space left for the database.')
  scene.fs.freeBytes = () => FREE_BYTES_MIN
  expect(scene.problem()).toBe(null)
})

it('looks at a sound folder once in a while, at logs and at a folder with a problem always', () => {
  const scene = new Scene()
  expect(scene.problem()).toBe(null)
  scene.fs.checkWritable = failing('permission')
  expect(scene.again()).toBe(null)
  scene.usable = false
  expect(scene.again()).toBe('The database could not be written to.')
  expect(scene.problem()).toBe('The database folder cannot be written to.')
  scene.usable = true
  scene.fs.checkWritable = () => undefined
  expect(scene.again()).toBe(null)
})

it('recovers a failed log, at most once per pause', () => {
  const scene = new Scene()
  scene.usable = false
  for (let i = 0; i < 3; i++) expect(scene.problem()).toBe('The database could not be written to.')
  expect(scene.recoveries).toBe(1)
  scene.now += RECOVERY_PAUSE_MS - 2 * HEALTHY_MS - 1
  scene.again()
  expect(scene.recoveries).toBe(1)
  scene.now++
  scene.again()
  expect(scene.recoveries).toBe(2)
  scene.usable = true
  expect(scene.problem()).toBe(null)
})
