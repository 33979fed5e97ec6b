// Reading a database without opening it: returns the same state, takes no lock, writes nothing.

import { describe, expect, it } from 'vitest'
import type { Change, Edit } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import type { FakeFileSystem } from '../storage/fake-file-system.ts'
import { FakeDisk, type FileSystem, readFile } from '../storage/index.ts'
import { type Manifest, openManifest, readDatabase } from './index.ts'
import { plainState } from './test-states.ts'

const open = (fs: FileSystem): Promise<Manifest> =>
  openManifest(fs, { version: '1.50.0', upgrade: false, drawLogSalt: () => 0x5eed })
const value = (n: number): Change => ({
  kind: 'value-set',
  space: 's',
  key: `k${n}`,
  value: Uint8Array.of(n),
})

async function made(
  edits: number,
): Promise<{ disk: FakeDisk; fs: FakeFileSystem; manifest: Manifest }> {
  const disk = new FakeDisk()
  const fs = disk.mount()
  const manifest = await open(fs)
  for (let n = 1; n <= edits; n++) await manifest.commit([value(n)])
  return { disk, fs, manifest }
}

/** Changes bytes of a file in place. */
function change(fs: FileSystem, path: string, at: number, bytes: Uint8Array): void {
  const file = fs.open(path, 'write')
  file.write(at, bytes)
  file.close()
}

function refusal(work: () => unknown): { code: string; path: string; message: string } {
  try {
    work()
  } catch (error) {
    if (error instanceof StorageError) return error
    throw error
  }
  return expect.unreachable('it was not refused')
}

describe('a database that is read without being opened', () => {
  it('gives the state of the process that has it open, and is not changed', async () => {
    const { disk, fs, manifest } = await made(5)
    const before = [disk.steps, fs.openFiles]
    const edits: Edit[] = []
    const read = readDatabase(fs, (edit) => edits.push(edit))
    expect(plainState(read.state)).toEqual(plainState(manifest.state))
    expect(edits.map(({ sequence, checkpoint }) => [sequence, checkpoint])).toEqual([
      [0, true],
      [1, false],
      [2, false],
      [3, false],
      [4, false],
      [5, false],
    ])
    expect(read.path).toBe('manifest-000001.log')
    expect(read.bytes).toBe(fs.size(read.path))
    expect(read.contents.tail).toBe('clean')
    expect(read.checkpointBytes).toBeGreaterThan(32)
    expect([disk.steps, fs.openFiles]).toEqual(before)
    expect(read.isSealed).toBe(false)
    await manifest.close()
    expect(readDatabase(fs).isSealed).toBe(true)
    expect(plainState(readDatabase(fs).state)).toEqual(plainState(read.state))
  })

  it('is found although its manifest is rotated meanwhile', async () => {
    const { fs, manifest } = await made(3)
    let looks = 0
    const slow = Object.create(fs) as FakeFileSystem
    slow.open = (path, mode) => {
      // The manifest was replaced between reading CURRENT and opening the file it named.
      if (path.startsWith('manifest-') && looks++ === 0) throw new StorageError('missing', path, '')
      return fs.open(path === 'CURRENT' && looks === 0 ? 'OLD' : path, mode)
    }
    const old = fs.open('OLD', 'create')
    old.write(0, new TextEncoder().encode('manifest-000001.log\n'))
    old.close()
    await manifest.rotate()
    expect(readDatabase(slow).path).toBe('manifest-000002.log')
    expect(looks).toBe(2)
  })

  it('is refused at the damage, after the earlier edits were visited', async () => {
    const { disk, fs, manifest } = await made(5)
    await manifest.close()
    const path = 'manifest-000001.log'
    const offsets: number[] = []
    readDatabase(fs, (_edit, { offset }) => offsets.push(offset))
    change(disk.mount(), path, offsets[3]! + 30, Uint8Array.of(0xff))
    const seen: number[] = []
    const { code, message } = refusal(() => readDatabase(fs, (edit) => seen.push(edit.sequence)))
    expect([code, seen]).toEqual(['corrupt', [0, 1, 2]])
    expect(message).toContain(`@${offsets[3]}`)
  })

  it('may end in the middle of a write', async () => {
    const { disk, fs, manifest } = await made(2)
    const { validBytes } = readDatabase(fs).contents
    change(disk.mount(), 'manifest-000001.log', validBytes, Uint8Array.of(0xd4, 0x5e))
    const read = readDatabase(fs)
    expect([read.contents.tail, read.state.sequence]).toEqual(['torn', manifest.state.sequence])
  })

  it('is refused when files are missing or name nothing', async () => {
    const { disk, fs, manifest } = await made(1)
    await manifest.close()
    const bytes = readFile(fs, 'manifest-000001.log', 1e6)
    fs.remove('manifest-000001.log')
    expect(refusal(() => readDatabase(fs))).toMatchObject({
      code: 'missing',
      path: 'manifest-000001.log',
    })
    const other = fs.open('manifest-000002.log', 'create')
    other.write(0, bytes)
    other.close()
    change(disk.mount(), 'CURRENT', 0, new TextEncoder().encode('manifest-000002.log\n'))
    expect(refusal(() => readDatabase(fs))).toMatchObject({ code: 'corrupt' })
    change(disk.mount(), 'CURRENT', 0, new TextEncoder().encode('?'))
    expect(refusal(() => readDatabase(fs))).toMatchObject({ code: 'corrupt', path: 'CURRENT' })
    fs.remove('CURRENT')
    expect(refusal(() => readDatabase(fs))).toMatchObject({ code: 'missing', path: 'CURRENT' })
  })
})
