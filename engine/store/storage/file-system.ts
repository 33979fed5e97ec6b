// The interface of a file system. Two implementations: `RealFileSystem` and, for tests, the view of
// a `FakeDisk` that loses unsynced data.
//
// Paths are relative to the database folder, with `/` between names. Every method throws
// StorageError with the code of the cause. Methods without `Async` block; they are for workers and
// for start-up. Methods that end in `Async` are for the event loop.

import type { LazyBytes } from '../../../format/frame/index.ts'
import type { AccessChange } from './access.ts'

export type OpenMode =
  /** An existing file, for reading. */
  | 'read'
  /** An existing file, for reading and writing. */
  | 'write'
  /** A new file, for reading and writing; fails with `exists` if the name is in use. */
  | 'create'
  /** Like `write`, but optimised for `writeDurableAsync`. */
  | 'log'

/**
 * The inode of a file, and when it was created and last changed, in nanoseconds. Systems that do
 * not know when a file was created report its last change instead.
 */
export type FileStamp = {
  readonly inode: bigint
  readonly created: bigint
  readonly changed: bigint
}

/** An open file. Its opener closes it once and calls nothing else afterwards. */
export interface File {
  readonly path: string
  /** Returns the current length in bytes. */
  size(): number
  /**
   * Returns true if the path leads to this file; false if the file or a folder was removed or
   * replaced.
   */
  isInPlace(): boolean
  /** Returns true if both are the same file on disk, opened twice. */
  isSameAs(other: File): boolean
  stamp(): FileStamp
  /**
   * Fills `target` from offset `at` on; returns the number of bytes read, which is smaller only at
   * the end.
   */
  read(at: number, target: Uint8Array): number
  readAsync(at: number, target: Uint8Array): Promise<number>
  /** Writes all of `bytes`, or throws; then a part of them may have been written. */
  write(at: number, bytes: Uint8Array): void
  writeAsync(at: number, bytes: Uint8Array): Promise<void>
  /**
   * Writes `bytes` and resolves when they are on disk, and the length of the file if it has grown.
   * Bytes that were written before and not synced stay unsynced. Takes one trip to the thread pool
   * if the system supports it, not one for the write and one for the sync.
   */
  writeDurableAsync(at: number, bytes: Uint8Array): Promise<void>
  /** Truncates the file, or extends it with zeros. */
  truncate(size: number): void
  truncateAsync(size: number): Promise<void>
  /** Makes bytes and length durable; the name of a new file is not, see `syncDirectory`. */
  sync(): void
  syncAsync(): Promise<void>
  close(): void
}

/**
 * Excludes other processes until it is released: once, by a call or at the end of the block of a
 * `using`. The end of the process releases it too.
 */
export interface Lock extends Disposable {
  release(): void
}

export interface FileSystem {
  open(path: string, mode: OpenMode): File
  openAsync(path: string, mode: OpenMode): Promise<File>
  exists(path: string): boolean
  /** Returns false if the path does not exist. */
  isFolder(path: string): boolean
  /** Returns the length of a file in bytes. */
  size(path: string): number
  /** Returns the names in a folder, in byte order. */
  list(path: string): readonly string[]
  /** Creates a folder; does nothing if it exists. */
  makeDirectory(path: string): void
  /** Makes the names in this folder (`''` is the root) durable: new, renamed and removed ones. */
  syncDirectory(path: string): void
  syncDirectoryAsync(path: string): Promise<void>
  /** Renames in one step; replaces an existing `to`. */
  rename(from: string, to: string): void
  renameAsync(from: string, to: string): Promise<void>
  remove(path: string): void
  removeAsync(path: string): Promise<void>
  /** Removes a file, or a folder with all its content; does nothing if the path does not exist. */
  removeTreeAsync(path: string): Promise<void>
  /**
   * Gives a file a second name for the same bytes, now and later. Returns false and does nothing if
   * the system does not support this.
   */
  link(from: string, to: string): boolean
  /**
   * Gives the folder, and its entries that are ours with all their content, the permissions they
   * would be created with now: see access.ts. @throws StorageError
   */
  restrictAccess(isOurs: (name: string) => boolean): AccessChange
  /** Removes everyone's permission to write to the file. */
  protect(path: string): void
  /**
   * Maps the whole file read-only; the mapping exists as long as it is referenced: see
   * `collectGarbage`. The file must be exactly `bytes` long (`short_file` otherwise: reading a
   * mapping past the end kills the process) and must never change: if another program truncates it
   * while it is mapped, reading the lost part kills the process, so owners of mappings check
   * lengths from time to time. Writing to the result ends the process.
   */
  map(path: string, bytes: number): Uint8Array
  /**
   * Does the same as `map` for a file that is a frame. Where files cannot be mapped, `map` reads
   * the whole file, while this reads what the frame uses.
   */
  mapFrame(path: string, bytes: number): Uint8Array | LazyBytes
  /** @throws StorageError `missing`, `permission`: the folder is gone, or accepts no new files */
  checkWritable(): void
  /** Returns the bytes that this process may still write. */
  freeBytes(): number
  /** @throws StorageError `locked`, with a message for the user who started the second process */
  lock(path: string): Lock
  /**
   * Takes a shared lock for readers: any number of them exclude holders of `lock`. Writes nothing.
   * If there is no lock file, no process is excluded. @throws StorageError `locked`
   */
  lockForReading(path: string): Lock
}

/** Returns the folder part of a path; `''` for the root. */
export const directoryOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/')))
