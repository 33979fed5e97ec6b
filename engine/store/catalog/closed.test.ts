// The clean-shutdown marker: logs that changed since a clean shutdown are refused, and after a
// write nothing is compared.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { addDocuments, allTasks, openTestEngine } from '../../testing/test-engine.ts'
import { FakeDisk, type FileSystem, replaceFile } from '../storage/index.ts'
import { checkClosed, writeClosed } from './closed.ts'
import { openManifest } from './index.ts'

const LOGS = ['manifest-000001.log', 'tasks/tasks-000001.log']

/** Returns the disk of a closed database with a task. */
async function closed(): Promise<FakeDisk> {
  const disk = new FakeDisk(1)
  const engine = await openTestEngine(disk.mount())
  await addDocuments(engine, 'a', [{ id: 1 }])
  await engine.allMerged()
  await engine.close()
  return disk
}

function bytesOf(fs: FileSystem, path: string): Uint8Array {
  const file = fs.open(path, 'read')
  const bytes = new Uint8Array(file.size())
  file.read(0, bytes)
  file.close()
  return bytes
}

function cut(fs: FileSystem, path: string, size: number): void {
  const file = fs.open(path, 'write')
  file.truncate(size)
  file.close()
}

describe('CLOSED', () => {
  it('stays when nothing is written', async () => {
    const fs = (await closed()).mount()
    const files = [...LOGS, 'CLOSED']
    const before = files.map((file) => bytesOf(fs, file))
    const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 7 }
    await (await openManifest(fs, options)).close(true)
    expect(files.map((file) => bytesOf(fs, file))).toEqual(before)
  })

  it('exists only while the database is closed', async () => {
    const disk = await closed()
    const fs = disk.mount()
    const lines = Buffer.from(bytesOf(fs, 'CLOSED')).toString().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^manifest-000001\.log \d+ [0-9a-f]{8}$/),
      expect.stringMatching(/^tasks\/tasks-000001\.log \d+ [0-9a-f]{8}$/),
      expect.stringMatching(/^crc32 [0-9a-f]{8}$/),
      '',
    ])
    const engine = await openTestEngine(fs)
    expect(fs.exists('CLOSED')).toBe(false)
    await engine.close()
    expect(fs.exists('CLOSED')).toBe(true)
  })

  it.each(LOGS)('refuses %s truncated to any length, and changes nothing', async (path) => {
    const disk = await closed()
    const fs = disk.mount()
    const whole = bytesOf(fs, path)
    for (let size = 0; size < whole.length; size += 8) {
      cut(fs, path, size)
      const before = LOGS.map((log) => bytesOf(fs, log))
      await expect(openTestEngine(fs)).rejects.toMatchObject({ code: 'corrupt', path })
      expect(LOGS.map((log) => bytesOf(fs, log))).toEqual(before)
      const file = fs.open(path, 'write')
      file.write(0, whole)
      file.close()
    }
    const engine = await openTestEngine(fs)
    expect(await allTasks(engine)).toHaveLength(1)
    await engine.close()
  })

  it.each(LOGS)('reports a missing %s', async (path) => {
    const fs = (await closed()).mount()
    fs.remove(path)
    await expect(openTestEngine(fs)).rejects.toMatchObject({ code: 'missing', path })
  })

  it.each(LOGS)('refuses %s with zeros for its last sector', async (path) => {
    const fs = (await closed()).mount()
    const file = fs.open(path, 'write')
    file.write(file.size() - 64, new Uint8Array(64))
    file.close()
    await expect(openTestEngine(fs)).rejects.toMatchObject({ code: 'corrupt', path })
  })

  it('is refused if any of its bits is flipped', async () => {
    const fs = (await closed()).mount()
    const whole = bytesOf(fs, 'CLOSED')
    for (let bit = 0; bit < whole.length * 8; bit += 3) {
      const bytes = whole.slice()
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      const file = fs.open('CLOSED', 'write')
      file.write(0, bytes)
      file.close()
      await expect(openTestEngine(fs)).rejects.toMatchObject({ path: 'CLOSED' })
    }
    cut(fs, 'CLOSED', 0)
    await expect(openTestEngine(fs)).rejects.toMatchObject({ code: 'corrupt', path: 'CLOSED' })
  })

  it('is not written if only the manifest is closed, or on a full disk', async () => {
    const disk = await closed()
    const fs = disk.mount()
    const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 7 }
    const manifest = await openManifest(fs, options)
    await manifest.commit([])
    expect(fs.exists('CLOSED')).toBe(false)
    await manifest.close()
    expect(fs.exists('CLOSED')).toBe(false)
    const engine = await openTestEngine(fs)
    disk.fail({ on: 'write', errno: 'ENOSPC', path: 'CLOSED' })
    await engine.close()
    expect(fs.exists('CLOSED')).toBe(false)
    disk.heal()
    await (await openTestEngine(fs)).close()
  })

  it('names only the manifest of a database without a task log', async () => {
    const fs = new FakeDisk(1).mount()
    const options = { version: '1.50.0', upgrade: false, drawLogSalt: () => 7 }
    await (await openManifest(fs, options)).close(true)
    const lines = Buffer.from(bytesOf(fs, 'CLOSED')).toString().split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['manifest-000001.log', 'crc32', ''])
    const manifest = await openManifest(fs, options)
    await manifest.commit([])
    expect(fs.exists('CLOSED')).toBe(false)
    await manifest.close()
  })

  it('is refused if its checksum is right and its content is not', async () => {
    const fs = (await closed()).mount()
    for (const line of [
      'manifest-000001.log 12',
      'manifest-000001.log 12 1234567g',
      ' 1 12345678',
    ]) {
      const lines = `${line}\n`
      const text = `${lines}crc32 ${crc32(lines).toString(16).padStart(8, '0')}\n`
      await replaceFile(fs, 'CLOSED', Buffer.from(text))
      expect(() => checkClosed(fs), line).toThrow(
        expect.objectContaining({
          code: 'corrupt',
          message: '`CLOSED` is damaged: it does not prove itself',
        }),
      )
    }
    fs.remove('CLOSED')
    expect(checkClosed(fs)).toBe(false)
  })

  it('is written only if each log ends with a seal', async () => {
    const disk = await closed()
    const fs = disk.mount()
    const path = 'manifest-000001.log'
    const whole = bytesOf(fs, path)
    const written = async (bytes: Uint8Array): Promise<boolean> => {
      if (fs.exists('CLOSED')) fs.remove('CLOSED')
      await replaceFile(fs, path, bytes)
      await writeClosed(fs, path)
      return fs.exists('CLOSED')
    }
    const changed = (fromEnd: number): Uint8Array => {
      const bytes = whole.slice()
      bytes[bytes.length - fromEnd]! ^= 1
      return bytes
    }
    expect(await written(whole)).toBe(true)
    expect(checkClosed(fs)).toBe(true)
    // Its salt, its length, its type: format/log/LOG.md. A header needs 32 bytes, a seal 24.
    for (const fromEnd of [24, 16, 4]) expect(await written(changed(fromEnd))).toBe(false)
    for (const length of [0, 10, 32, 55]) {
      expect(await written(whole.slice(0, length)), String(length)).toBe(false)
    }
  })
})
