// An open file of the operating system.
import fs from 'node:fs'
import { assert } from '../../../format/errors.ts'
import { isSystemError, StorageError } from '../../model/index.ts'
import { guarded, promised } from './errno.ts'
import type { File, FileStamp } from './file-system.ts'

/** Most bytes of one system call; libuv takes lengths as signed 32-bit numbers. */
const CALL_BYTES_MAX = 1 << 30

/** Device and inode, which identify a file as long as it is open. */
type Identity = { readonly dev: number; readonly ino: number }

/** Returns null if the path does not exist, also if a folder on the way has become a file. */
function statIfThere(path: string): Identity | null {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOTDIR') return null
    throw error
  }
}

export class RealFile implements File {
  readonly path: string
  readonly #fullPath: string
  readonly #writesAreDurable: boolean
  #fd: number
  #identity: Identity | null = null

  /**
   * Takes ownership of `fd`. `path` is its name in errors, `fullPath` its path for the system;
   * `writesAreDurable`: it was opened with O_DSYNC.
   */
  constructor(path: string, fullPath: string, fd: number, writesAreDurable: boolean) {
    this.path = path
    this.#fullPath = fullPath
    this.#fd = fd
    this.#writesAreDurable = writesAreDurable
  }

  size(): number {
    return guarded(this.path, 'look at', () => fs.fstatSync(this.#open()).size)
  }

  isInPlace(): boolean {
    const { dev, ino } = this.#identify()
    const found = guarded(this.path, 'look at', () => statIfThere(this.#fullPath))
    return found !== null && found.dev === dev && found.ino === ino
  }

  isSameAs(other: File): boolean {
    if (!(other instanceof RealFile)) return false
    const [mine, its] = [this.#identify(), other.#identify()]
    return mine.dev === its.dev && mine.ino === its.ino
  }

  stamp(): FileStamp {
    const found = guarded(this.path, 'look at', () => fs.fstatSync(this.#open(), { bigint: true }))
    return { inode: found.ino, created: found.birthtimeNs, changed: found.ctimeNs }
  }

  /** The identity never changes, so it is read once. */
  #identify(): Identity {
    this.#identity ??= guarded(this.path, 'look at', () => fs.fstatSync(this.#open()))
    return this.#identity
  }

  read(at: number, target: Uint8Array): number {
    assert(Number.isSafeInteger(at) && at >= 0, 'an offset is a safe integer')
    const fd = this.#open()
    return guarded(this.path, 'read', () => {
      let done = 0
      while (done < target.length) {
        const wanted = Math.min(target.length - done, CALL_BYTES_MAX)
        const got = fs.readSync(fd, target, done, wanted, at + done)
        if (got === 0) break
        done += got
      }
      return done
    })
  }

  async readAsync(at: number, target: Uint8Array): Promise<number> {
    const fd = this.#open()
    let done = 0
    while (done < target.length) {
      const wanted = Math.min(target.length - done, CALL_BYTES_MAX)
      const got = await promised<number>(this.path, 'read', (end) =>
        fs.read(fd, target, done, wanted, at + done, end),
      )
      if (got === 0) break
      done += got
    }
    return done
  }

  write(at: number, bytes: Uint8Array): void {
    assert(Number.isSafeInteger(at) && at >= 0, 'an offset is a safe integer')
    const fd = this.#open()
    guarded(this.path, 'write', () => {
      writeAll(this.path, bytes, (from, length) => fs.writeSync(fd, bytes, from, length, at + from))
    })
  }

  async writeAsync(at: number, bytes: Uint8Array): Promise<void> {
    const fd = this.#open()
    await writeAllAsync(this.path, bytes, (from, length) =>
      promised<number>(this.path, 'write', (end) =>
        fs.write(fd, bytes, from, length, at + from, end),
      ),
    )
  }

  async writeDurableAsync(at: number, bytes: Uint8Array): Promise<void> {
    await this.writeAsync(at, bytes)
    if (this.#writesAreDurable) return
    const fd = this.#open()
    await promised<void>(this.path, 'sync', (end) => fs.fdatasync(fd, end))
  }

  truncate(size: number): void {
    guarded(this.path, 'truncate', () => fs.ftruncateSync(this.#open(), size))
  }

  async truncateAsync(size: number): Promise<void> {
    const fd = this.#open()
    await promised<void>(this.path, 'truncate', (end) => fs.ftruncate(fd, size, end))
  }

  sync(): void {
    guarded(this.path, 'sync', () => fs.fsyncSync(this.#open()))
  }

  async syncAsync(): Promise<void> {
    const fd = this.#open()
    await promised<void>(this.path, 'sync', (end) => fs.fsync(fd, end))
  }

  close(): void {
    const fd = this.#open()
    this.#fd = -1
    guarded(this.path, 'close', () => fs.closeSync(fd))
  }

  #open(): number {
    assert(this.#fd >= 0, 'a file is not used after it was closed')
    return this.#fd
  }
}

/**
 * Calls `writeSome(from, length)` until all bytes are written: the system may write fewer bytes
 * than requested, for example if the disk is nearly full or a signal arrives.
 */
export function writeAll(
  path: string,
  bytes: Uint8Array,
  writeSome: (from: number, length: number) => number,
): void {
  for (let done = 0; done < bytes.length; ) {
    const count = writeSome(done, Math.min(bytes.length - done, CALL_BYTES_MAX))
    if (count <= 0) throw writesNothing(path)
    done += count
  }
}

/** Does the same as `writeAll` over promises. */
export async function writeAllAsync(
  path: string,
  bytes: Uint8Array,
  writeSome: (from: number, length: number) => Promise<number>,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const count = await writeSome(done, Math.min(bytes.length - done, CALL_BYTES_MAX))
    if (count <= 0) throw writesNothing(path)
    done += count
  }
}

const writesNothing = (path: string): StorageError =>
  new StorageError('io', path, `cannot write \`${path}\`: the system takes no more bytes`)
