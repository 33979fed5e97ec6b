// The output of a segment: collected in memory while it is small, written to a separate file once
// it is large. Small segments are stored inside the manifest edit that commits them, which saves a
// file and two syncs.

import { KiB } from '../../../format/bytes/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import type { Layer, SegmentEntry, SegmentLocation } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import type { Written } from '../../store/layers/index.ts'
import {
  type File,
  type FileSystem,
  SequentialWriter,
  temporaryName,
} from '../../store/storage/index.ts'

/**
 * Bytes of frames up to which they are stored in the edit: a batch of some dozen documents. With
 * 128 KiB a batch of 100 films writes no file instead of two or three, but the manifest is
 * rewritten four times as often: 20 % more bytes, and as many syncs, in total.
 */
export const INLINE_BYTES_MAX = 32 * KiB
const FOOTER_CHECKSUM_FROM_END = 8

/** A finished segment that no edit names yet. */
export type NewSegment = SegmentEntry

export class SegmentSink {
  readonly segment: SegmentNo
  readonly layer: Layer
  readonly #fs: FileSystem
  #memory = new Uint8Array(1 << 12)
  #length = 0
  #file: SequentialWriter | null = null
  #scratch: File | null = null
  /** The last bytes written, for the checksum in the frame's footer. */
  readonly #tail = new Uint8Array(FOOTER_CHECKSUM_FROM_END)

  constructor(fs: FileSystem, segment: SegmentNo, layer: Layer) {
    this.#fs = fs
    this.segment = segment
    this.layer = layer
  }

  /** Writes bytes; has the signature of a frame's sink. */
  readonly write = (bytes: Uint8Array): void => {
    this.#remember(bytes)
    if (this.#file === null && this.#length + bytes.length > INLINE_BYTES_MAX) {
      this.#file = new SequentialWriter(this.#fs, segmentPath(this.segment, this.layer))
      this.#file.write(this.#memory.subarray(0, this.#length))
      this.#memory = new Uint8Array(0)
    }
    if (this.#file !== null) this.#file.write(bytes)
    else this.#append(bytes)
    this.#length += bytes.length
  }

  /**
   * Opens an empty file that is closed with the segment. It has no name, so the system frees its
   * space at the latest when the process ends.
   */
  readonly openScratch = (): File => {
    const path = temporaryName(segmentPath(this.segment, this.layer))
    this.#scratch = this.#fs.open(path, 'create')
    this.#fs.remove(path)
    return this.#scratch
  }

  /**
   * Completes the segment. If it is in a file, its bytes are durable, but not its directory entry,
   * see `SequentialWriter`.
   */
  finish({ documents, idMin, idMax }: Written): NewSegment {
    const { segment, layer } = this
    const bytes = this.#length
    this.#closeScratch()
    let location: SegmentLocation
    if (this.#file === null) {
      location = { kind: 'inline', frame: this.#memory.slice(0, bytes) }
    } else {
      this.#file.finish()
      const view = new DataView(this.#tail.buffer)
      location = { kind: 'file', checksum: view.getUint32(0, true) }
    }
    return { segment, layer, documents, idMin, idMax, bytes, location }
  }

  /** Removes the written file. */
  abandon(): void {
    this.#closeScratch()
    this.#file?.abandon()
    this.#file = null
  }

  #closeScratch(): void {
    this.#scratch?.close()
    this.#scratch = null
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length
    if (end > this.#memory.length) {
      const grown = new Uint8Array(Math.max(end, this.#memory.length * 2))
      grown.set(this.#memory.subarray(0, this.#length))
      this.#memory = grown
    }
    this.#memory.set(bytes, this.#length)
  }

  #remember(bytes: Uint8Array): void {
    const tail = this.#tail
    if (bytes.length >= tail.length) tail.set(bytes.subarray(bytes.length - tail.length))
    else {
      tail.copyWithin(0, bytes.length)
      tail.set(bytes, tail.length - bytes.length)
    }
  }
}

/** Removes the file of a segment that will not be committed. */
export function removeSegment(fs: FileSystem, { segment, layer, location }: NewSegment): void {
  if (location.kind === 'file') fs.remove(segmentPath(segment, layer))
}

/** The same for a batch that failed, or no longer needs it. */
export function discardSegment(fs: FileSystem, segment: NewSegment): void {
  try {
    removeSegment(fs, segment)
  } catch (error) {
    // The file stays; the next start removes it.
    if (!(error instanceof StorageError)) throw error
  }
}
