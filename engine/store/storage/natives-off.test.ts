// The ways without native packages: files in memory, locks by a program, reports of what is missing.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { withNatives } from './test-natives.ts'

const root = fs.mkdtempSync(join(tmpdir(), 'svc-natives-off-'))
const openFiles = (): number => fs.readdirSync('/proc/self/fd').length

const loaded = withNatives('off')
afterAll(() => fs.rmSync(root, { recursive: true }))

describe.runIf(process.platform === 'linux')('without native packages', () => {
  const content = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251)
  fs.writeFileSync(join(root, 'a'), content)
  fs.writeFileSync(join(root, 'empty'), '')

  it('whole files are read, and closed', () => {
    const system = new loaded.storage.RealFileSystem(root)
    const files = openFiles()
    const bytes = system.map('a', content.length)
    expect(Buffer.compare(bytes, content)).toBe(0)
    expect(system.map('empty', 0)).toHaveLength(0)
    for (const length of [content.length - 1, content.length + 1]) {
      expect(() => system.map('a', length)).toThrow('`a` has 200000 bytes instead of')
      expect(() => system.mapFrame('a', length)).toThrow('it was changed from outside')
    }
    expect(openFiles()).toBe(files)
    loaded.storage.releasePages(bytes.buffer)
    expect(Buffer.compare(bytes, content)).toBe(0)
  })

  it('frames are read as they are used, from a file that stays open', () => {
    const system = new loaded.storage.RealFileSystem(root)
    const files = openFiles()
    const frame = system.mapFrame('a', content.length)
    if (frame instanceof Uint8Array) throw new Error('the file is mapped')
    expect([openFiles(), frame.loadedBytes()]).toEqual([files + 1, 0])
    frame.load(70_000, 70_010)
    expect([...frame.bytes.subarray(70_000, 70_010)]).toEqual([...content.subarray(70_000, 70_010)])
    expect(frame.loadedBytes()).toBe(65536)
    frame.close()
    expect(openFiles()).toBe(files)
  })

  it('a program locks files', () => {
    const system = new loaded.storage.RealFileSystem(root)
    expect(loaded.flock.lockWay()).toBe('program')
    expect(['darwin', 'win32'].map((os) => loaded.flock.lockWay(os as NodeJS.Platform))).toEqual([
      'open',
      'open',
    ])
    using _lock = system.lock('LOCK')
    expect(() => system.lock('LOCK')).toThrow(`another server (process ${process.pid})`)
  })

  it.each([
    ['darwin', 0x24, 0x14, 'EAGAIN'],
    ['win32', 0x10000000, 0, 'EBUSY'],
  ])('%s locks files as it opens them', (platform, exclusive, shared, conflict) => {
    const file = join(root, 'a')
    const lock = (sharing: 'exclusive' | 'shared'): number | null =>
      loaded.flock.openLocked({ file, path: 'LOCK', flags: 2, mode: 0o600, sharing })
    const real = process.platform
    const refuse = (code: string) => () => {
      throw Object.assign(new Error(code), { code, errno: -1 })
    }
    const open = vi.spyOn(fs, 'openSync').mockReturnValue(77)
    Object.defineProperty(process, 'platform', { value: platform })
    try {
      expect([lock('exclusive'), lock('shared')]).toEqual([77, 77])
      expect(open.mock.calls).toEqual([
        [file, 2 | exclusive, 0o600],
        [file, 2 | shared, 0o600],
      ])
      open.mockImplementation(refuse(conflict))
      expect(lock('exclusive')).toBeNull()
      open.mockImplementation(refuse('EACCES'))
      expect(() => lock('exclusive')).toThrow('cannot open `LOCK`: permission denied (EACCES)')
    } finally {
      Object.defineProperty(process, 'platform', { value: real })
      open.mockRestore()
    }
  })

  it('the reports name the packages, the reason and the way that is used instead', () => {
    expect(loaded.storage.nativeReports()).toEqual(
      [
        ['fs-ext', 'lock of the database', /^the program flock locks the file; /],
        ['mmap-io', 'mapped files', /^files are read into memory: up to 256 MiB in each thread/],
        ['zstd-napi', 'compression of documents', /^WebAssembly; /],
        ['koffi', 'memory allocator', /^free memory is returned late: /],
      ].map(([name, purpose, instead]) => ({
        name,
        purpose,
        missing: { reason: 'SVC_NATIVES hides it', instead: expect.stringMatching(instead!) },
      })),
    )
  })
})
