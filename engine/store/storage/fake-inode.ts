// One file of a FakeDisk: the content a process sees, the content on disk, and the versions
// between. See fake-disk.ts.
import { withRoom } from '../../../format/bytes/index.ts'
import type { Random } from './random.ts'

const SECTOR_BYTES = 512

/** Inodes so far; each has a number of its own. */
let inodes = 0n

export class Inode {
  readonly number = ++inodes
  /** Content as processes see it. */
  #cached = new Uint8Array(0)
  #size = 0
  /** Content as of the last sync. */
  #durable = new Uint8Array(0)
  #durableSize = 0
  /** By sector, its versions since it was last synced, oldest first. */
  readonly #dirty = new Map<number, Uint8Array[]>()
  /** Lengths since the length was last synced, oldest first. */
  #sizes: number[] = []

  get size(): number {
    return this.#size
  }

  read(at: number, target: Uint8Array): number {
    const end = Math.min(this.#size, at + target.length)
    if (at >= end) return 0
    target.set(this.#cached.subarray(at, end))
    return end - at
  }

  write(at: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#resize(Math.max(this.#size, at + bytes.length))
    this.#cached.set(bytes, at)
    this.#touch(at, at + bytes.length)
  }

  truncate(size: number): void {
    const before = this.#size
    if (size === before) return
    if (size < before) this.#cached.fill(0, size, before)
    this.#resize(size)
    this.#touch(Math.min(size, before), Math.max(size, before))
  }

  sync(): void {
    this.#syncSectors(0, Number.POSITIVE_INFINITY)
    this.#durableSize = this.#size
    this.#sizes = []
  }

  /** Syncs the sectors of [from, to), and the length if it has grown to include them. */
  syncRange(from: number, to: number): void {
    this.#syncSectors(Math.floor(from / SECTOR_BYTES), Math.ceil(to / SECTOR_BYTES))
    if (to <= this.#durableSize) return
    this.#durableSize = this.#size
    this.#sizes = []
  }

  /**
   * Fails a sync: the cache is clean afterwards. Its content may be on disk or not, and may still
   * be visible or not.
   */
  failSync(random: Random, ruins: boolean): void {
    const chance = 1 + random.below(4)
    for (const sector of [...this.#dirty.keys()]) {
      if (random.below(4) < chance) {
        if (ruins) this.#ruin(sector)
        else if (random.below(4) === 0) this.#evict(sector)
        this.#dirty.delete(sector)
      } else this.#syncSectors(sector, sector + 1)
    }
    // The length is in the journal, whose failure would have made the file system read-only.
    this.#durableSize = this.#size
    this.#sizes = []
  }

  /** Chooses the content that survives a power failure; processes see it afterwards. */
  losePower(random: Random, keep: () => boolean): void {
    const size = this.#sizeLeft(random, keep)
    for (const [sector, versions] of this.#dirty) {
      if (!keep()) continue
      const last = random.below(2) === 0
      const version = last ? versions.at(-1)! : versions[random.below(versions.length)]!
      this.#durable = withRoom(this.#durable, (sector + 1) * SECTOR_BYTES)
      this.#durable.set(version, sector * SECTOR_BYTES)
    }
    this.#dirty.clear()
    this.#sizes = []
    this.#durable = withRoom(this.#durable, size)
    this.#durable.fill(0, size)
    this.#durableSize = size
    this.#cached = this.#durable.slice()
    this.#size = size
  }

  #sizeLeft(random: Random, keep: () => boolean): number {
    if (this.#sizes.length === 0 || !keep()) return this.#durableSize
    const candidates = [this.#durableSize, ...this.#sizes]
    const low = candidates[random.below(candidates.length)]!
    const high = this.#size
    const pick = random.below(4)
    if (pick < 2) return high
    if (pick === 2) return low
    return Math.min(low, high) + random.below(Math.abs(high - low) + 1)
  }

  #resize(size: number): void {
    if (size === this.#size) return
    this.#cached = withRoom(this.#cached, size)
    this.#size = size
    this.#sizes.push(size)
  }

  #touch(from: number, to: number): void {
    const last = Math.ceil(to / SECTOR_BYTES)
    this.#cached = withRoom(this.#cached, last * SECTOR_BYTES)
    for (let sector = Math.floor(from / SECTOR_BYTES); sector < last; sector++) {
      const version = this.#cached.slice(sector * SECTOR_BYTES, (sector + 1) * SECTOR_BYTES)
      const versions = this.#dirty.get(sector)
      if (versions === undefined) this.#dirty.set(sector, [version])
      else versions.push(version)
    }
  }

  #syncSectors(from: number, to: number): void {
    for (const [sector, versions] of this.#dirty) {
      if (sector < from || sector >= to) continue
      this.#durable = withRoom(this.#durable, (sector + 1) * SECTOR_BYTES)
      this.#durable.set(versions.at(-1)!, sector * SECTOR_BYTES)
      this.#dirty.delete(sector)
    }
  }

  #ruin(sector: number): void {
    const from = sector * SECTOR_BYTES
    this.#durable = withRoom(this.#durable, from + SECTOR_BYTES)
    this.#durable.fill(0xee, from, from + SECTOR_BYTES)
  }

  /**
   * Reads show the content of the disk, because the page was dropped from memory and read again.
   */
  #evict(sector: number): void {
    const from = sector * SECTOR_BYTES
    this.#cached = withRoom(this.#cached, from + SECTOR_BYTES)
    this.#durable = withRoom(this.#durable, from + SECTOR_BYTES)
    this.#cached.set(this.#durable.subarray(from, from + SECTOR_BYTES), from)
  }
}
