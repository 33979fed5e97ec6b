// The file that a snapshot is packed into: it is synced while it is written, and what a failed sync
// leaves behind.
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { FakeDisk, readFile } from '../../store/storage/index.ts'
import { SYNC_BYTES } from './limits.ts'
import { FileTarget } from './target.ts'

const HALF = new Uint8Array(SYNC_BYTES / 2).fill(7)
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A disk with a snapshot, whose successor is being written. */
function world() {
  const disk = new FakeDisk()
  const fs = disk.mount()
  const last = fs.open('db', 'create')
  last.write(0, Buffer.from('last'))
  last.close()
  return { disk, fs, target: new FileTarget(fs, 'db') }
}

/** Holds syncs until `release` is called with their position. */
function heldSyncs(disk: FakeDisk) {
  const ends: (() => void)[] = []
  disk.gate = () => new Promise((resolve) => ends.push(resolve))
  return { begun: () => ends.length, release: (at: number) => ends[at]!() }
}

describe('a file of a snapshot', () => {
  it('is synced while it is written, one sync after the other', async () => {
    const { disk, fs, target } = world()
    const { begun, release } = heldSyncs(disk)
    await target.write(HALF.subarray(1))
    await target.write(HALF)
    expect(begun()).toBe(0)
    await target.write(HALF.subarray(0, 1))
    expect(begun()).toBe(1)
    // Writes go on during the sync, up to the next one.
    await target.write(HALF)
    let isWritten = false
    const second = target.write(HALF).then(() => {
      isWritten = true
    })
    await turn()
    expect([begun(), isWritten]).toEqual([1, false])
    release(0)
    await second
    expect(begun()).toBe(2)
    const end = target.finish()
    await turn()
    // The last sync waits as well.
    expect(begun()).toBe(2)
    release(1)
    await turn()
    expect(begun()).toBe(3)
    release(2)
    await end
    expect([fs.list(''), fs.size('db')]).toEqual([['db'], 2 * SYNC_BYTES])
  })

  it.each([
    ['a further write', 2],
    ['the end', 0],
  ])('whose sync fails meanwhile is refused at %s, and the last one stays', async (_, writes) => {
    const { disk, fs, target } = world()
    disk.fail({ on: 'sync', errno: 'EIO' })
    await target.write(HALF)
    await target.write(HALF)
    await turn()
    const further = async (): Promise<void> => {
      for (let i = 0; i < writes; i++) await target.write(HALF)
      if (writes === 0) await target.finish()
    }
    await expect(further()).rejects.toThrow(StorageError)
    await target.abandon()
    expect(fs.list('')).toEqual(['db'])
    expect(Buffer.from(readFile(fs, 'db', 9)).toString()).toBe('last')
  })

  it('is removed when its sync has ended', async () => {
    const { disk, fs, target } = world()
    const { release } = heldSyncs(disk)
    await target.write(HALF)
    await target.write(HALF)
    const end = target.abandon()
    await turn()
    expect(fs.list('')).toEqual(['db', 'db.new'])
    release(0)
    await end
    expect(fs.list('')).toEqual(['db'])
  })
})
