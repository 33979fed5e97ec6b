// The store of keys on a manifest: durable, ordered, within its limits.

import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asUuid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { openManifest } from '../../store/catalog/index.ts'
import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import { createDefaultKeys, KeyStore } from './index.ts'
import type { NewKey } from './store.ts'

const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const key = (n: number, part: Partial<NewKey> = {}): NewKey => ({
  uid: asUuid(uid(n)),
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  ...part,
})

let mark = 1
const open = (fs: FileSystem) =>
  openManifest(fs, { version: '1.0.0', upgrade: false, drawLogSalt: () => mark++ })

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (failure: unknown) => failure,
  )
  if (error instanceof EngineFault) return error.code
  throw new Error('the client must not receive this')
}

describe('a store', () => {
  it('lists the newest first, also if the clock stands still', async () => {
    const store = new KeyStore(await open(new FakeDisk().mount()), () => 5)
    for (const n of [3, 1, 2]) await store.create(key(n))
    expect(store.list().map((one) => one.uid)).toEqual([uid(2), uid(1), uid(3)])
    await store.update(asUuid(uid(3)), { name: 'n' })
    expect(store.list().map((one) => one.uid)).toEqual([uid(2), uid(1), uid(3)])
  })

  it('is the same after a restart', async () => {
    const fs = new FakeDisk().mount()
    const manifest = await open(fs)
    const store = new KeyStore(manifest, () => 9)
    const expiresAt = { seconds: 1e10, nanos: 7, offsetMinutes: 90 }
    await store.create(key(1, { name: 'one', expiresAt, actions: [], indexes: ['a*'] }))
    await store.create(key(2))
    await store.create(key(3))
    await store.update(asUuid(uid(1)), { description: 'd', name: null })
    await store.remove(asUuid(uid(2)))
    const before = store.list()
    await manifest.close()
    const again = new KeyStore(await open(fs), () => 9)
    expect(again.list()).toEqual(before)
    expect(again.get(asUuid(uid(1)))).toMatchObject({ name: null, description: 'd', expiresAt })
    // A key that is created later is newer than all existing ones.
    await again.create(key(4))
    expect(again.list()[0]!.uid).toBe(uid(4))
  })

  it('counts its changes', async () => {
    const store = new KeyStore(await open(new FakeDisk().mount()), () => 1)
    const seen = [store.version]
    await store.create(key(1))
    seen.push(store.version)
    await store.update(asUuid(uid(1)), { name: 'n' })
    seen.push(store.version)
    await store.remove(asUuid(uid(1)))
    seen.push(store.version)
    expect(new Set(seen).size).toBe(4)
  })

  it('refuses duplicate and missing keys', async () => {
    const store = new KeyStore(await open(new FakeDisk().mount()), () => 1)
    const both = await Promise.allSettled([store.create(key(1)), store.create(key(1))])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await codeOf(store.create(key(1)))).toBe('api_key_already_exists')
    expect(await codeOf(store.update(asUuid(uid(2)), {}))).toBe('api_key_not_found')
    expect(await codeOf(store.remove(asUuid(uid(2))))).toBe('api_key_not_found')
    const removals = await Promise.allSettled([
      store.remove(asUuid(uid(1))),
      store.remove(asUuid(uid(1))),
    ])
    expect(removals.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await store.create(key(1, { actions: ['version'] }))
    expect(store.get(asUuid(uid(1)))!.actions).toEqual(['version'])
  })

  it('keeps its keys when it is full', async () => {
    const store = new KeyStore(await open(new FakeDisk().mount()), () => 1, 1000)
    await store.create(key(1, { name: 'n'.repeat(700) }))
    expect(await codeOf(store.create(key(2, { name: 'n'.repeat(200) })))).toBe(
      'database_size_limit_reached',
    )
    expect(await codeOf(store.update(asUuid(uid(1)), { description: 'd'.repeat(300) }))).toBe(
      'database_size_limit_reached',
    )
    expect(store.list()).toHaveLength(1)
    await store.update(asUuid(uid(1)), { name: null })
    await store.create(key(2, { name: 'n'.repeat(200) }))
    await store.remove(asUuid(uid(1)))
    await store.create(key(3, { name: 'n'.repeat(500) }))
    expect(store.list().map((one) => one.uid)).toEqual([uid(3), uid(2)])
  })

  it('refuses a record that could not be read at the next start', async () => {
    const store = new KeyStore(await open(new FakeDisk().mount()), () => 1)
    const large = key(1, { description: 'd'.repeat(MiB) })
    const long = key(2, { actions: Array.from({ length: 65_537 }, () => 'search') })
    for (const one of [large, long]) {
      expect(await codeOf(store.create(one))).toBe('database_size_limit_reached')
    }
  })
})

it('creates the default keys once, with search first in the list', async () => {
  const store = new KeyStore(await open(new FakeDisk().mount()), () => 1)
  let n = 0
  const draw = (): string => uid(n++)
  await createDefaultKeys(store, draw)
  await createDefaultKeys(store, draw)
  expect(store.list().map(({ name, actions }) => [name, actions])).toEqual([
    ['Default Search API Key', ['search']],
    ['Default Admin API Key', ['*']],
    ['Default Read-Only Admin API Key', ['*.get', 'keys.get']],
    ['Default Chat API Key', ['chatCompletions', 'search']],
  ])
  for (const { uid: one } of store.list().slice(1)) await store.remove(one)
  await createDefaultKeys(store, draw)
  expect(store.list()).toHaveLength(1)
})
