// The identity of a database folder: it stays over restarts and renames of the folder; a copy, a
// restored folder and a damaged file are noticed.
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeDisk, RealFileSystem } from '../storage/index.ts'
import { InstanceIdentity, markRestored } from './identity.ts'

let root: string
const folder = (name: string): string => join(root, name)
const open = (name: string): Promise<InstanceIdentity> =>
  InstanceIdentity.open(RealFileSystem.create(folder(name)))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-identity-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('stays the same over restarts, and when the folder is renamed', async () => {
  const first = await open('a')
  expect(first.origin).toBe('own')
  const again = await open('a')
  expect([again.id, again.origin]).toEqual([first.id, 'own'])
  expect(again.process).not.toBe(first.process)
  renameSync(folder('a'), folder('b'))
  const renamed = await open('b')
  expect([renamed.id, renamed.origin]).toEqual([first.id, 'own'])
})

test('a copy of the folder is noticed, and gets an identity of its own', async () => {
  const original = await open('a')
  cpSync(folder('a'), folder('copy'), { recursive: true, preserveTimestamps: true })
  const copy = await open('copy')
  expect([copy.id, copy.origin]).toEqual([original.id, 'copied'])
  await copy.renew()
  const renewed = await open('copy')
  expect(renewed.origin).toBe('own')
  expect(renewed.id).not.toBe(original.id)
  expect((await open('a')).origin).toBe('own')
})

test('a moved folder keeps its identity if that is confirmed', async () => {
  const { id } = await open('a')
  cpSync(folder('a'), folder('moved'), { recursive: true })
  await (await open('moved')).confirm()
  const moved = await open('moved')
  expect([moved.id, moved.origin]).toEqual([id, 'own'])
})

test('a restored folder says so until it is confirmed', async () => {
  await markRestored(RealFileSystem.create(folder('a')))
  const restored = await open('a')
  expect(restored.origin).toBe('restored')
  expect((await open('a')).origin).toBe('restored')
  await restored.confirm()
  expect((await open('a')).origin).toBe('own')
})

test('every wrong byte and every shorter file counts as a copy', async () => {
  const { id } = await open('a')
  const file = join(folder('a'), 'IDENTITY')
  const bytes = readFileSync(file)
  for (let at = 0; at < bytes.length; at++) {
    const wrong = Buffer.from(bytes)
    wrong[at]! ^= 1
    for (const content of [wrong, bytes.subarray(0, at)]) {
      writeFileSync(file, content)
      const found = await open('a')
      expect(found.origin, `byte ${at}`).toBe('copied')
      expect(found.id).not.toBe(id)
    }
  }
})

test('a power failure at any step of a change leaves the old identity or the new one', async () => {
  for (let steps = 0; ; steps++) {
    const disk = new FakeDisk(steps)
    const identity = await InstanceIdentity.open(disk.mount())
    const before = identity.id
    disk.powerOffAfter(steps)
    const failed = await identity.renew().then(
      () => false,
      () => true,
    )
    disk.crash(steps)
    const found = await InstanceIdentity.open(disk.mount())
    expect(found.origin).toBe('own')
    expect([before, identity.id]).toContain(found.id)
    if (failed) continue
    expect(found.id).toBe(identity.id)
    return
  }
})

test('is written although a killed attempt has left its file', async () => {
  const fs = new FakeDisk().mount()
  const left = fs.open('IDENTITY.new', 'create')
  left.write(0, new Uint8Array(500))
  left.close()
  const { id } = await InstanceIdentity.open(fs)
  const again = await InstanceIdentity.open(fs)
  expect([again.id, again.origin]).toEqual([id, 'own'])
  expect(fs.exists('IDENTITY.new')).toBe(false)
})

test('a disk that records no creation tells a copy by its inode alone', async () => {
  const disk = new FakeDisk()
  const { id } = await InstanceIdentity.open(disk.mount())
  const found = async (changes: object): Promise<string> => {
    const other = disk.mount()
    const open = other.open.bind(other)
    other.open = (path, mode) => {
      const file = open(path, mode)
      const stamp = { ...file.stamp(), ...changes }
      return Object.assign(file, { stamp: () => stamp })
    }
    const identity = await InstanceIdentity.open(other)
    expect(identity.id).toBe(id)
    return identity.origin
  }
  expect(await found({})).toBe('own')
  expect(await found({ created: 5n, changed: 5n })).toBe('own')
  expect(await found({ created: 5n, changed: 6n })).toBe('copied')
  expect(await found({ inode: 999n, created: 5n, changed: 5n })).toBe('copied')
})
