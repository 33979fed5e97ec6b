// The file system of the operating system, within one folder.
import fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { assert } from '../../../format/errors.ts'
import type { LazyBytes } from '../../../format/frame/index.ts'
import { isSystemError, StorageError } from '../../model/index.ts'
import {
  type Access,
  type AccessChange,
  accessIn,
  letsGroupIn,
  readOnly,
  restrictAccess,
} from './access.ts'
import { guarded, promised, storageError } from './errno.ts'
import type { File, FileSystem, Lock, OpenMode } from './file-system.ts'
import { lockFile, lockFileForReading } from './lock.ts'
import { makeFolders } from './make-folders.ts'
import { mapFile, mapFrame } from './map.ts'
import { RealFile } from './real-file.ts'

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DSYNC } = fs.constants

/**
 * True if O_DSYNC makes a write durable before it returns, as on Linux. macOS has the flag but
 * leaves the bytes in the drive's cache; there, libuv's fdatasync flushes the drive too.
 */
const DURABLE_WRITES = process.platform === 'linux' && O_DSYNC !== undefined

/** Windows does not sync folders: it makes names durable in their order by itself. */
const SYNCS_FOLDERS = process.platform !== 'win32'

const FLAGS: { readonly [mode in OpenMode]: number } = {
  read: O_RDONLY,
  write: O_RDWR,
  create: O_RDWR | O_CREAT | O_EXCL,
  log: DURABLE_WRITES ? O_RDWR | O_DSYNC : O_RDWR,
}

/** Error codes of systems that do not support a second name, or allow no more of them. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
])

export class RealFileSystem implements FileSystem {
  readonly #root: string
  #access: Access | null = null

  /** `root` is an existing folder; every thread creates its own object for it. */
  constructor(root: string) {
    this.#root = resolve(root)
  }

  /**
   * Creates the folder and missing folders above it durably. `name` is the folder's name in error
   * messages.
   */
  static create(root: string, name?: string): RealFileSystem {
    const full = resolve(root)
    const make = () => makeFolders(full, 0o700)
    const made = guarded('', 'make', make, name)
    if (made !== undefined) {
      // Syncs every folder that has a new name in it, from the innermost to the one that existed.
      let folder = full
      do {
        folder = dirname(folder)
        syncIfReadable(folder)
      } while (folder !== dirname(made) && folder !== dirname(folder))
    }
    return new RealFileSystem(full)
  }

  /** Removes a folder with all its content. */
  static remove(root: string): void {
    guarded('', 'remove', () => fs.rmSync(root, { recursive: true, force: true }))
  }

  open(path: string, mode: OpenMode): File {
    const full = this.#full(path)
    const access = this.#accessOf(mode)
    const fd = guarded(path, 'open', () => {
      const opened = fs.openSync(full, FLAGS[mode], access?.file)
      if (access !== null && letsGroupIn(access)) fs.fchmodSync(opened, access.file)
      return opened
    })
    return new RealFile(path, full, fd, mode === 'log' && DURABLE_WRITES)
  }

  async openAsync(path: string, mode: OpenMode): Promise<File> {
    const full = this.#full(path)
    const access = this.#accessOf(mode)
    const rights = access?.file ?? 0
    const fd = await promised<number>(path, 'open', (end) =>
      fs.open(full, FLAGS[mode], rights, end),
    )
    if (access !== null && letsGroupIn(access)) {
      guarded(path, 'open', () => fs.fchmodSync(fd, access.file))
    }
    return new RealFile(path, full, fd, mode === 'log' && DURABLE_WRITES)
  }

  exists(path: string): boolean {
    return fs.existsSync(this.#full(path))
  }

  isFolder(path: string): boolean {
    const full = this.#full(path)
    return guarded(path, 'look at', () => {
      return fs.statSync(full, { throwIfNoEntry: false })?.isDirectory() ?? false
    })
  }

  size(path: string): number {
    return guarded(path, 'look at', () => fs.statSync(this.#full(path)).size)
  }

  list(path: string): readonly string[] {
    const names = guarded(path, 'list', () => fs.readdirSync(this.#full(path), 'buffer'))
    return names.sort(Buffer.compare).map((name) => name.toString())
  }

  makeDirectory(path: string): void {
    const full = this.#full(path)
    const { folder } = this.#rights()
    guarded(path, 'make', () => {
      const made = makeFolders(full, folder)
      if (made !== undefined && letsGroupIn(this.#rights())) fs.chmodSync(full, folder)
    })
  }

  restrictAccess(isOurs: (name: string) => boolean): AccessChange {
    return restrictAccess(this.#root, isOurs)
  }

  syncDirectory(path: string): void {
    syncFolder(this.#full(path), path)
  }

  async syncDirectoryAsync(path: string): Promise<void> {
    const full = this.#full(path)
    if (!SYNCS_FOLDERS) return
    const fd = await promised<number>(path, 'open', (end) => fs.open(full, O_RDONLY, end))
    try {
      await promised<void>(path, 'sync', (end) => fs.fsync(fd, end))
    } finally {
      fs.closeSync(fd)
    }
  }

  rename(from: string, to: string): void {
    guarded(from, 'rename', () => fs.renameSync(this.#full(from), this.#full(to)))
  }

  async renameAsync(from: string, to: string): Promise<void> {
    const source = this.#full(from)
    const target = this.#full(to)
    await promised<void>(from, 'rename', (end) => fs.rename(source, target, end))
  }

  remove(path: string): void {
    guarded(path, 'remove', () => fs.unlinkSync(this.#full(path)))
  }

  async removeAsync(path: string): Promise<void> {
    const full = this.#full(path)
    await promised<void>(path, 'remove', (end) => fs.unlink(full, end))
  }

  async removeTreeAsync(path: string): Promise<void> {
    assert(path !== '', 'the root stays')
    const full = this.#full(path)
    await promised<void>(path, 'remove', (end) =>
      fs.rm(full, { recursive: true, force: true }, end),
    )
  }

  link(from: string, to: string): boolean {
    try {
      fs.linkSync(this.#full(from), this.#full(to))
      return true
    } catch (error) {
      if (isSystemError(error) && NO_LINKS.has(error.code ?? '')) return false
      throw storageError(error, from, 'link')
    }
  }

  protect(path: string): void {
    guarded(path, 'protect', () => fs.chmodSync(this.#full(path), readOnly(this.#rights())))
  }

  map(path: string, bytes: number): Uint8Array {
    return mapFile(this.#full(path), path, bytes)
  }

  mapFrame(path: string, bytes: number): Uint8Array | LazyBytes {
    return mapFrame(this.#full(path), path, bytes)
  }

  checkWritable(): void {
    guarded('', 'write to', () => fs.accessSync(this.#root, fs.constants.W_OK))
  }

  freeBytes(): number {
    const { bavail, bsize } = guarded('', 'look at', () => fs.statfsSync(this.#root))
    return bavail * bsize
  }

  lock(path: string): Lock {
    return lockFile(this.#full(path), path, this.#rights().file)
  }

  lockForReading(path: string): Lock {
    return lockFileForReading(this.#full(path), path)
  }

  /** Returns the permissions of a file that `open` creates, or null if the mode creates no file. */
  #accessOf(mode: OpenMode): Access | null {
    return mode === 'create' ? this.#rights() : null
  }

  /** Read once: a change of the folder's permissions takes effect at the next start. */
  #rights(): Access {
    this.#access ??= accessIn(this.#root)
    return this.#access
  }

  #full(path: string): string {
    const inside = !path.startsWith('/') && !path.split('/').includes('..')
    assert(inside, 'a path stays inside the database folder')
    return join(this.#root, path)
  }
}

/**
 * If a parent folder is not readable, it cannot be synced; durability of its entries is left to the
 * operating system.
 */
function syncIfReadable(folder: string): void {
  try {
    syncFolder(folder, '')
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'permission')) throw error
  }
}

function syncFolder(folder: string, path: string): void {
  if (!SYNCS_FOLDERS) return
  const fd = guarded(path, 'open', () => fs.openSync(folder, O_RDONLY))
  try {
    guarded(path, 'sync', () => fs.fsyncSync(fd))
  } finally {
    fs.closeSync(fd)
  }
}
