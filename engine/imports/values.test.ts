// The small parts of a dump: which values of the manifest they become.
import { expect, it, vi } from 'vitest'
import { type ApiKey, KeyStore } from '../admin/keys/index.ts'
import type { DumpReader } from '../backup/dumps/index.ts'
import { openManifest } from '../store/catalog/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { importValues } from './import-values.ts'

type Parts = {
  readonly keys?: readonly Partial<ApiKey>[]
  readonly features?: { readonly [name: string]: boolean }
  readonly instanceUid?: string | null
}

async function* each(list: readonly unknown[] = []) {
  yield* list
}

/** Returns what the manifest holds after an import: keys, the newest first; spaces; sizes of edits. */
async function imported({ keys, features = {}, instanceUid = null }: Parts) {
  const options = { version: '1.0.0', upgrade: false, drawLogSalt: () => 1 }
  const manifest = await openManifest(new FakeDisk().mount(), options)
  const commit = vi.spyOn(manifest, 'commit')
  const reader = {
    instanceUid,
    features: () => features,
    network: () => null,
    webhooks: () => [],
    chats: () => [],
    rules: () => each(),
    keys: () => each(keys),
  }
  await importValues(reader as unknown as DumpReader, manifest)
  const { values } = manifest.state
  const edits = commit.mock.calls.map(([changes]) => changes.length)
  const spaces = [...values].map(([name, space]) => [name, [...space.keys()]])
  return { keys: new KeyStore(manifest, () => 0).list(), spaces, edits }
}

const keyOf = (uid: string, createdAt: number, updatedAt = createdAt) => ({
  ...{ uid, name: null, description: null, actions: [], indexes: [], expiresAt: null },
  ...{ createdAt, updatedAt },
})
const keysOf = async (
  ...keys: readonly (readonly [uid: string, created: number, updated?: number])[]
) => {
  const found = (await imported({ keys: keys.map((key) => keyOf(...key)) as never })).keys
  return found.map(({ uid, createdAt, updatedAt }) => [uid, createdAt, updatedAt])
}

it('nothing is written for an empty dump', async () => {
  expect(await imported({})).toEqual({ keys: [], spaces: [], edits: [] })
})

it('features that are on become values', async () => {
  const { spaces } = await imported({ features: { metrics: true, multimodal: false } })
  expect(spaces).toEqual([['features', ['metrics']]])
})

it('keys of one moment get moments of their own, in their order', async () => {
  expect(await keysOf(['d', 30], ['c', 10], ['b', 10], ['a', 10])).toEqual([
    ['d', 30, 30],
    ['c', 12, 12],
    ['b', 11, 11],
    ['a', 10, 10],
  ])
  expect(await keysOf(['c', 11], ['b', 10], ['a', 10])).toEqual([
    ['c', 12, 12],
    ['b', 11, 11],
    ['a', 10, 10],
  ])
  expect(await keysOf(['b', 10, 50], ['a', 10, 50])).toEqual([
    ['b', 11, 50],
    ['a', 10, 50],
  ])
})

it('many values are written in several edits', async () => {
  const keys = Array.from({ length: 1001 }, (_, i) => keyOf(`k${i}`, 5000 - i)) as never
  const found = await imported({ keys })
  expect([found.keys.length, found.edits]).toEqual([1001, [1000, 1]])
})
