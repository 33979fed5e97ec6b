// The file system of a FakeDisk that one process sees. fake-disk.ts describes the model.

import { compareText } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { LazyBytes } from '../../../format/frame/index.ts'
import { StorageError } from '../../model/index.ts'
import type { AccessChange } from './access.ts'
import type { FakeDisk } from './fake-disk.ts'
import { type FakeOperation, PowerOff } from './fake-failures.ts'
import { Inode } from './fake-inode.ts'
import {
  directoryOf,
  type File,
  type FileStamp,
  type FileSystem,
  type Lock,
  type OpenMode,
} from './file-system.ts'
import { lockedError, lockOf } from './lock.ts'

export class FakeFileSystem implements FileSystem {
  readonly disk: FakeDisk
  readonly #process: number
  /** Number of open files, to detect leaks. */
  openFiles = 0

  constructor(disk: FakeDisk, process: number) {
    this.disk = disk
    this.#process = process
  }

  open(path: string, mode: OpenMode): File {
    this.#enter('open', path)
    const entry = this.disk.entries.get(path)
    if (mode === 'create') {
      if (entry !== undefined) throw failure('exists', path)
      this.#needFolder(path)
      const inode = new Inode()
      this.#change([{ path, entry: inode }])
      return new FakeFile(this, path, inode, true)
    }
    return new FakeFile(this, path, this.#inode(path), mode !== 'read')
  }

  async openAsync(path: string, mode: OpenMode): Promise<File> {
    await this.disk.gate()
    return this.open(path, mode)
  }

  exists(path: string): boolean {
    this.disk.checkPower(this.#process)
    return this.disk.entries.has(path)
  }

  isFolder(path: string): boolean {
    this.disk.checkPower(this.#process)
    return this.disk.entries.get(path) === 'folder'
  }

  size(path: string): number {
    this.#enter('look', path)
    return this.#inode(path).size
  }

  list(path: string): readonly string[] {
    this.#enter('list', path)
    if (this.disk.entries.get(path) !== 'folder') throw failure('missing', path)
    const names: string[] = []
    for (const full of this.disk.entries.keys()) {
      if (full !== '' && directoryOf(full) === path)
        names.push(full.slice(full.lastIndexOf('/') + 1))
    }
    return names.sort(compareText)
  }

  makeDirectory(path: string): void {
    this.#enter('make', path)
    if (this.disk.entries.get(path) === 'folder') return
    this.#needFolder(path)
    this.#change([{ path, entry: 'folder' }])
  }

  syncDirectory(path: string): void {
    this.#enter('sync-folder', path)
    if (this.disk.entries.get(path) !== 'folder') throw failure('missing', path)
    if (!this.disk.step()) throw new PowerOff('the power fails')
    this.disk.syncNames(path)
  }

  async syncDirectoryAsync(path: string): Promise<void> {
    await this.disk.gate()
    this.syncDirectory(path)
  }

  rename(from: string, to: string): void {
    this.#enter('rename', from)
    const inode = this.#inode(from)
    this.#needFolder(to)
    this.#change([
      { path: from, entry: null },
      { path: to, entry: inode },
    ])
  }

  async renameAsync(from: string, to: string): Promise<void> {
    await this.disk.gate()
    this.rename(from, to)
  }

  remove(path: string): void {
    this.#enter('remove', path)
    this.#inode(path)
    this.#change([{ path, entry: null }])
  }

  async removeAsync(path: string): Promise<void> {
    await this.disk.gate()
    this.remove(path)
  }

  /** Removes the innermost names first, one step each. */
  async removeTreeAsync(path: string): Promise<void> {
    await this.disk.gate()
    assert(path !== '', 'the root stays')
    this.#enter('remove', path)
    const doomed = [...this.disk.entries.keys()].filter(
      (name) => name === path || name.startsWith(`${path}/`),
    )
    for (const name of doomed.sort(compareText).reverse()) {
      this.#change([{ path: name, entry: null }])
    }
  }

  link(from: string, to: string): boolean {
    this.#enter('make', to)
    const inode = this.#inode(from)
    if (this.disk.entries.has(to)) throw failure('exists', to)
    this.#needFolder(to)
    this.#change([{ path: to, entry: inode }])
    return true
  }

  /** The fake disk has no permissions. */
  restrictAccess(): AccessChange {
    return { changed: 0, refused: 0 }
  }

  protect(path: string): void {
    this.#inode(path)
  }

  /** Returns a copy, so a test that changes the file afterwards does not change the mapping. */
  map(path: string, bytes: number): Uint8Array {
    this.#enter('map', path)
    const inode = this.#inode(path)
    if (inode.size !== bytes) throw failure('short_file', path)
    const out = new Uint8Array(bytes)
    inode.read(0, out)
    return out
  }

  /** Loads bytes when they are used, so tests find a reader that uses others. */
  mapFrame(path: string, size: number): LazyBytes {
    const all = this.map(path, size)
    const bytes = new Uint8Array(size)
    let loaded = 0
    const load = (from: number, to: number): void => {
      bytes.set(all.subarray(from, to), from)
      loaded += to - from
    }
    return { bytes, load, loadedBytes: () => loaded, close: () => undefined }
  }

  checkWritable(): void {
    this.disk.checkPower(this.#process)
  }

  freeBytes(): number {
    this.disk.checkPower(this.#process)
    return Math.max(0, this.disk.capacity - this.disk.usedBytes)
  }

  lock(path: string): Lock {
    this.disk.checkPower(this.#process)
    if (!this.disk.lock(path)) throw lockedError(path, '')
    return lockOf(() => this.disk.unlock(path))
  }

  lockForReading(path: string): Lock {
    this.disk.checkPower(this.#process)
    if (!this.disk.lockForReading(path)) throw lockedError(path, '')
    return lockOf(() => this.disk.unlockForReading(path))
  }

  // The following methods are for FakeFile.

  /** @throws PowerOff, StorageError if a fault was injected */
  enterFile(on: FakeOperation, path: string): void {
    this.#enter(on, path)
  }

  write(inode: Inode, path: string, at: number, bytes: Uint8Array): void {
    const growth = Math.max(0, at + bytes.length - inode.size)
    const admission = this.disk.admit(this.#process, path, bytes.length, growth)
    const goesOn = this.disk.step()
    inode.write(at, bytes.subarray(0, admission.bytes))
    if (!goesOn) throw new PowerOff('the power fails')
    if (admission.error !== null) throw admission.error
  }

  sync(inode: Inode, path: string, sync: () => void): void {
    const error = this.disk.syncFails(this.#process, inode, path)
    if (!this.disk.step()) throw new PowerOff('the power fails')
    if (error !== null) throw error
    sync()
  }

  truncate(inode: Inode, path: string, size: number): void {
    this.#enter('truncate', path)
    const goesOn = this.disk.step()
    inode.truncate(size)
    if (!goesOn) throw new PowerOff('the power fails')
  }

  #enter(on: FakeOperation, path: string): void {
    this.disk.enter(this.#process, on, path)
  }

  #change(steps: Parameters<FakeDisk['changeNames']>[0]): void {
    const goesOn = this.disk.step()
    this.disk.changeNames(steps)
    if (!goesOn) throw new PowerOff('the power fails')
  }

  #inode(path: string): Inode {
    const entry = this.disk.entries.get(path)
    if (entry === undefined) throw failure('missing', path)
    if (entry === 'folder') throw failure('io', path)
    return entry
  }

  #needFolder(path: string): void {
    if (this.disk.entries.get(directoryOf(path)) !== 'folder') throw failure('missing', path)
  }
}

class FakeFile implements File {
  readonly path: string
  readonly #fs: FakeFileSystem
  readonly #inode: Inode
  readonly #writable: boolean
  #open = true

  constructor(fs: FakeFileSystem, path: string, inode: Inode, writable: boolean) {
    this.path = path
    this.#writable = writable
    this.#fs = fs
    this.#inode = inode
    fs.openFiles++
  }

  size(): number {
    this.#enter('look')
    return this.#inode.size
  }

  isInPlace(): boolean {
    return this.#fs.disk.entries.get(this.path) === this.#inode
  }

  isSameAs(other: File): boolean {
    return other instanceof FakeFile && other.#inode === this.#inode
  }

  stamp(): FileStamp {
    return { inode: this.#inode.number, created: this.#inode.number, changed: 0n }
  }

  read(at: number, target: Uint8Array): number {
    this.#enter('read')
    return this.#inode.read(at, target)
  }

  async readAsync(at: number, target: Uint8Array): Promise<number> {
    await this.#fs.disk.gate()
    return this.read(at, target)
  }

  write(at: number, bytes: Uint8Array): void {
    this.#checkWritable()
    this.#fs.write(this.#inode, this.path, at, bytes)
  }

  async writeAsync(at: number, bytes: Uint8Array): Promise<void> {
    await this.#fs.disk.gate()
    this.write(at, bytes)
  }

  async writeDurableAsync(at: number, bytes: Uint8Array): Promise<void> {
    await this.#fs.disk.gate()
    this.write(at, bytes)
    const inode = this.#inode
    this.#fs.sync(inode, this.path, () => inode.syncRange(at, at + bytes.length))
  }

  truncate(size: number): void {
    this.#checkWritable()
    this.#fs.truncate(this.#inode, this.path, size)
  }

  async truncateAsync(size: number): Promise<void> {
    await this.#fs.disk.gate()
    this.truncate(size)
  }

  sync(): void {
    assert(this.#open, 'a file is not used after it was closed')
    this.#fs.sync(this.#inode, this.path, () => this.#inode.sync())
  }

  async syncAsync(): Promise<void> {
    await this.#fs.disk.gate()
    this.sync()
  }

  close(): void {
    assert(this.#open, 'a file is closed once')
    this.#open = false
    this.#fs.openFiles--
    this.#fs.enterFile('close', this.path)
  }

  #checkWritable(): void {
    assert(this.#open, 'a file is not used after it was closed')
    assert(this.#writable, 'a file that was opened for reading is not written')
  }

  #enter(on: FakeOperation): void {
    assert(this.#open, 'a file is not used after it was closed')
    this.#fs.enterFile(on, this.path)
  }
}

function failure(code: 'exists' | 'missing' | 'short_file' | 'io', path: string): StorageError {
  return new StorageError(code, path, `\`${path}\`: ${code}`)
}
