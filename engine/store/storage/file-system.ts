// What the engine asks of a file system. Two implementations: `RealFileSystem` and, for tests, the
// view on a `FakeDisk` that forgets what was not synced.
//
// Paths are relative to the database folder, with `/` between names. Everything throws
// StorageError, with the code that the reason deserves. Plain methods block and are for workers and
// for start-up; those that end in `Async` are for the event loop.

import type { AccessChange } from './access.ts'

export type OpenMode =
  /** An existing file, for reading. */
  | 'read'
  /** An existing file, for reading and writing. */
  | 'write'
  /** A new file, for reading and writing; `exists` when there is one of that name. */
  | 'create'
  /** As `write`; made for `writeDurableAsync`. */
  | 'log'

/** An open file. Whoever opened it closes it, once; nothing else is called after that. */
export interface File {
  readonly path: string
  /** Bytes, now. */
  size(): number
  /** Whether the path leads to this file: not after file or folder were removed or replaced. */
  isInPlace(): boolean
  /** Whether both are the same file on disk, opened twice. */
  isSameAs(other: File): boolean
  /**
   * Fills `target` from offset `at` on; returns how many bytes there were, fewer only at the end.
   */
  read(at: number, target: Uint8Array): number
  readAsync(at: number, target: Uint8Array): Promise<number>
  /** Writes all of `bytes`, or throws; some of it may be written then. */
  write(at: number, bytes: Uint8Array): void
  writeAsync(at: number, bytes: Uint8Array): Promise<void>
  /**
   * Writes `bytes` and resolves when they are on disk, and the length of the file with them where
   * it has grown. Other bytes that were written before and not synced stay so. One trip to the
   * thread pool where the system can do it: measured 0.15 ms against 0.19 ms for a write and a
   * sync.
   */
  writeDurableAsync(at: number, bytes: Uint8Array): Promise<void>
  /** Cuts the file, or lengthens it with zeros. */
  truncate(size: number): void
  truncateAsync(size: number): Promise<void>
  /**
   * Bytes and length are on disk when it returns; a new file's name is not, see `syncDirectory`.
   */
  sync(): void
  syncAsync(): Promise<void>
  close(): void
}

/**
 * Keeps other processes out until it is released: once, by a call or at the end of the block of a
 * `using`. Released as well when the process ends.
 */
export interface Lock extends Disposable {
  release(): void
}

export interface FileSystem {
  open(path: string, mode: OpenMode): File
  openAsync(path: string, mode: OpenMode): Promise<File>
  exists(path: string): boolean
  /** False where there is nothing. */
  isFolder(path: string): boolean
  /** Bytes of a file. */
  size(path: string): number
  /** Names in a folder, in byte order. */
  list(path: string): readonly string[]
  /** Nothing happens when it is there. */
  makeDirectory(path: string): void
  /**
   * Names in this folder (`''` is the root) are on disk when it returns: new, renamed and removed
   * ones.
   */
  syncDirectory(path: string): void
  syncDirectoryAsync(path: string): Promise<void>
  /** In one step; what was called `to` is gone. */
  rename(from: string, to: string): void
  renameAsync(from: string, to: string): Promise<void>
  remove(path: string): void
  removeAsync(path: string): Promise<void>
  /** A file, or a folder with all that is in it; nothing happens where there is nothing. */
  removeTreeAsync(path: string): Promise<void>
  /**
   * Gives a file a second name: the same bytes, now and later. Where the system has no such thing,
   * `false`, and nothing has happened.
   */
  link(from: string, to: string): boolean
  /**
   * Gives the folder, and those of its entries that are ours with all that is in them, the rights
   * that they would be made with now: see access.ts. @throws StorageError
   */
  restrictAccess(isOurs: (name: string) => boolean): AccessChange
  /** Takes the right to write to the file away from everybody. */
  protect(path: string): void
  /**
   * The whole file in memory, read only, as long as anything refers to it: see `collectGarbage`.
   * The file must be exactly `bytes` long (`short_file` otherwise: a mapping past the end kills the
   * process) and never change: what somebody else cuts off while it is mapped kills the process
   * when it is read, so whoever keeps mappings looks at lengths now and then. Writing to the result
   * ends the process.
   */
  map(path: string, bytes: number): Uint8Array
  /** @throws StorageError `missing`, `permission`: the folder is gone, or takes no new files */
  checkWritable(): void
  /** What this process may still write. */
  freeBytes(): number
  /** @throws StorageError `locked`, with words for whoever started the second process */
  lock(path: string): Lock
  /**
   * For those who only read, any number of them: keeps out whoever takes `lock`, and writes
   * nothing. Without a file of that name nobody is kept out. @throws StorageError `locked`
   */
  lockForReading(path: string): Lock
}

/** The folder part of a path; `''` for the root. */
export const directoryOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/')))
