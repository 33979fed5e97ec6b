// The target of a packed snapshot: a file that replaces the last one, or parts that are uploaded.
import type { File, FileSystem } from '../../store/storage/index.ts'
import { awaitedLater } from '../../time/index.ts'
import { SYNC_BYTES } from './limits.ts'
import { type Retention, removeOldest, retain } from './retained.ts'

/** Receives blocks in order. `finish` ends it; `abandon` does if that failed or was not reached. */
export interface Target {
  write(block: Uint8Array): Promise<void>
  finish(): Promise<void>
  abandon(): Promise<void>
}

/** The name of an incomplete snapshot; files of such a name at start are garbage. */
export const unfinishedName = (name: string): string => `${name}.new`

/** Writes `name` beside the last snapshot of that name, then replaces it in one step. */
export class FileTarget implements Target {
  readonly #fs: FileSystem
  readonly #name: string
  readonly #retention: Retention | null
  readonly #file: File
  #isOpen = true
  #at = 0
  #synced = 0
  /** The sync that runs during further writes. */
  #syncing: Promise<void> = Promise.resolve()

  /** `retention`: null keeps only the last snapshot. @throws StorageError */
  constructor(fs: FileSystem, name: string, retention: Retention | null = null) {
    this.#fs = fs
    this.#name = name
    this.#retention = retention
    const aside = unfinishedName(name)
    if (fs.exists(aside)) fs.remove(aside)
    this.#file = fs.open(aside, 'create')
  }

  async write(block: Uint8Array): Promise<void> {
    this.#file.write(this.#at, block)
    this.#at += block.length
    if (this.#at - this.#synced < SYNC_BYTES) return
    await this.#syncing
    this.#synced = this.#at
    this.#syncing = awaitedLater(this.#file.syncAsync())
  }

  async finish(): Promise<void> {
    const aside = unfinishedName(this.#name)
    await this.#syncing
    await this.#file.syncAsync()
    this.#close()
    this.#fs.protect(aside)
    if (this.#retention !== null) retain(this.#fs, aside, this.#name, this.#retention)
    this.#fs.rename(aside, this.#name)
    this.#fs.syncDirectory('')
    if (this.#retention !== null) removeOldest(this.#fs, this.#name, this.#retention)
  }

  async abandon(): Promise<void> {
    await Promise.allSettled([this.#syncing])
    if (this.#isOpen) this.#close()
    const aside = unfinishedName(this.#name)
    if (this.#fs.exists(aside)) this.#fs.remove(aside)
  }

  #close(): void {
    this.#isOpen = false
    this.#file.close()
  }
}

/** A piece of the archive, in a separate file until it is uploaded. */
export type Part = { readonly number: number; readonly path: string; readonly bytes: number }

/**
 * Cuts the archive into files of exactly `partBytes`, the last one shorter, and passes them on;
 * `onPart` resolves when the next may begin. The receiver of a part removes its file.
 */
export class PartsTarget implements Target {
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #partBytes: number
  readonly #onPart: (part: Part) => Promise<void>
  #file: File | null = null
  #number = 0
  #at = 0

  constructor(
    fs: FileSystem,
    folder: string,
    partBytes: number,
    onPart: (part: Part) => Promise<void>,
  ) {
    this.#fs = fs
    this.#folder = folder
    this.#partBytes = partBytes
    this.#onPart = onPart
  }

  async write(block: Uint8Array): Promise<void> {
    for (let from = 0; from < block.length; ) {
      this.#file ??= this.#begin()
      const piece = block.subarray(from, from + this.#partBytes - this.#at)
      this.#file.write(this.#at, piece)
      this.#at += piece.length
      from += piece.length
      if (this.#at === this.#partBytes) await this.#end()
    }
  }

  async finish(): Promise<void> {
    if (this.#file !== null) await this.#end()
  }

  abandon(): Promise<void> {
    this.#file?.close()
    if (this.#file !== null) this.#fs.remove(this.#path())
    this.#file = null
    return Promise.resolve()
  }

  #begin(): File {
    this.#number++
    this.#at = 0
    return this.#fs.open(this.#path(), 'create')
  }

  async #end(): Promise<void> {
    this.#file?.close()
    this.#file = null
    await this.#onPart({ number: this.#number, path: this.#path(), bytes: this.#at })
  }

  #path(): string {
    return `${this.#folder}/part-${String(this.#number).padStart(5, '0')}`
  }
}
