// Reads a frame in place: one checksum verifies the tail at open, a checksum per 16 KiB page
// verifies the page on first use · layout: ./FRAME.md

import { crc32 } from 'node:zlib'
import { dataView, u32At } from '../bytes/index.ts'
import { refuse, VersionError } from '../errors.ts'
import {
  END_MAGIC,
  ENTRY_BYTES,
  FOOTER_BYTES,
  FRAME_PAGE_BYTES,
  HEADER_BYTES,
  MAGIC,
  paddingAt,
  type Tag,
  tagNumber,
  tagText,
  VERSION,
} from './layout-v1.ts'

const TWO_POW_32 = 4294967296

/** The bytes of a file that are loaded when they are first used. */
export type LazyBytes = {
  /** As long as the file. Bytes that are not loaded are zero. */
  readonly bytes: Uint8Array
  /** Loads the bytes [from, to), and possibly others. */
  readonly load: (from: number, to: number) => void
  /** Returns the number of bytes that are loaded. */
  readonly loadedBytes: () => number
  /** Ends loading: the file is closed. It is closed as well when the bytes are collected. */
  readonly close: () => void
}

/** A frame read in place. It reads the caller's bytes, so they must outlive it. */
export class Frame {
  readonly kind: Tag
  /** Name of the bytes in messages: the file, if there is one. */
  readonly label: string
  readonly bytes: Uint8Array
  readonly #sections: ReadonlyMap<Tag, Section>
  readonly #pagesEnd: number
  readonly #pageChecksums: Uint8Array
  readonly #verified: Uint8Array
  readonly #load: LazyBytes['load'] | null

  private constructor(kind: Tag, label: string, source: Source, tail: Tail) {
    this.kind = kind
    this.label = label
    this.bytes = source.bytes
    this.#load = source.load
    this.#pagesEnd = tail.tableOffset
    this.#pageChecksums = tail.pageChecksums
    this.#verified = new Uint8Array(tail.pageChecksums.length / 4)
    const sections = new Map<Tag, Section>()
    for (const entry of tail.entries) {
      sections.set(entry.tag, new Section(this, entry))
    }
    this.#sections = sections
  }

  /**
   * Checks header and tail; pages are checked on first use. @throws CorruptionError, VersionError
   */
  static open(from: Uint8Array | LazyBytes, kind: Tag, label: string = kind): Frame {
    const source = from instanceof Uint8Array ? { bytes: plain(from), load: null } : from
    checkHeader(source, kind)
    return new Frame(kind, label, source, readTail(source, kind))
  }

  get sections(): Iterable<Section> {
    return this.#sections.values()
  }

  has(tag: Tag): boolean {
    return this.#sections.has(tag)
  }

  /**
   * Returns the section `tag`, whose layout version must be in [oldest, newest].
   * @throws CorruptionError if it is missing, VersionError
   */
  section(tag: Tag, oldest = 1, newest = 1): Section {
    const section = this.#sections.get(tag)
    if (section === undefined) {
      return refuse(this.kind, this.#pagesEnd, 'bad_value', `a section ${tag}`, 'none')
    }
    if (section.version < oldest || section.version > newest) {
      throw new VersionError(tag, section.version, oldest, newest)
    }
    return section
  }

  /** Verifies the pages that contain [from, to), each once. @throws CorruptionError */
  touch(from: number, to: number): void {
    const last = Math.floor((to - 1) / FRAME_PAGE_BYTES)
    for (let page = Math.floor(from / FRAME_PAGE_BYTES); page <= last; page++) {
      if (this.#verified[page] === 0) this.#verify(page)
    }
  }

  /** Verifies every page and the checksum of every section. @throws CorruptionError */
  verifyAll(): void {
    this.touch(0, this.#pagesEnd)
    for (const section of this.#sections.values()) section.verifyChecksum()
  }

  #verify(page: number): void {
    const from = page * FRAME_PAGE_BYTES
    const to = Math.min(from + FRAME_PAGE_BYTES, this.#pagesEnd)
    this.#load?.(from, to)
    const got = crc32(this.bytes.subarray(from, to))
    const expected = u32At(this.#pageChecksums, page * 4)
    if (got !== expected) refuse(this.label, from, 'bad_checksum', expected, got)
    this.#verified[page] = 1
  }
}

/** `load` is null if all bytes are there. */
type Source = { readonly bytes: Uint8Array; readonly load: LazyBytes['load'] | null }

type Entry = {
  readonly tag: Tag
  readonly version: number
  readonly offset: number
  readonly length: number
  readonly checksum: number
}

/** One section of an open frame. Callers must `touch` bytes before they read them. */
export class Section {
  readonly tag: Tag
  readonly version: number
  /** Offset from the start of the frame; a multiple of 8. */
  readonly offset: number
  readonly length: number
  /** A view of the section, not yet verified. */
  readonly bytes: Uint8Array
  readonly checksum: number
  readonly #frame: Frame

  constructor(frame: Frame, entry: Entry) {
    this.#frame = frame
    this.tag = entry.tag
    this.version = entry.version
    this.offset = entry.offset
    this.length = entry.length
    this.checksum = entry.checksum
    this.bytes = frame.bytes.subarray(entry.offset, entry.offset + entry.length)
  }

  /** Verifies `length` bytes from offset `at` on. @throws CorruptionError */
  touch(at: number, length: number): void {
    if (at < 0 || length < 0 || at + length > this.length) {
      refuse(this.tag, at, 'bad_length', `at most ${this.length}`, at + length)
    }
    if (length > 0) this.#frame.touch(this.offset + at, this.offset + at + length)
  }

  /** Verifies and returns `length` bytes from offset `at` on: a view. @throws CorruptionError */
  read(at: number, length: number): Uint8Array {
    this.touch(at, length)
    return this.bytes.subarray(at, at + length)
  }

  /** Verifies the whole section and returns its bytes. @throws CorruptionError */
  all(): Uint8Array {
    this.touch(0, this.length)
    return this.bytes
  }

  /**
   * Returns the section as 32-bit numbers in place, not yet verified, without trailing bytes. If
   * the frame does not begin at a multiple of 4 in its buffer (mapped files and new arrays do), the
   * section is copied.
   */
  u32(): Uint32Array {
    const bytes = this.bytes
    const count = bytes.length >>> 2
    if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, count)
    return new Uint32Array(bytes.slice().buffer, 0, count)
  }

  /** Returns the section as 64-bit floats in place, like `u32`. */
  f64(): Float64Array {
    const bytes = this.bytes
    const count = bytes.length >>> 3
    if (bytes.byteOffset % 8 === 0) return new Float64Array(bytes.buffer, bytes.byteOffset, count)
    return new Float64Array(bytes.slice().buffer, 0, count)
  }

  verifyChecksum(): void {
    const got = crc32(this.bytes)
    if (got !== this.checksum) refuse(this.tag, 0, 'bad_checksum', this.checksum, got)
  }
}

type Tail = {
  readonly tableOffset: number
  readonly entries: readonly Entry[]
  readonly pageChecksums: Uint8Array
}

function checkHeader({ bytes, load }: Source, kind: Tag): void {
  if (bytes.length < HEADER_BYTES + FOOTER_BYTES) {
    refuse(kind, 0, 'bad_length', `at least ${HEADER_BYTES + FOOTER_BYTES}`, bytes.length)
  }
  load?.(0, HEADER_BYTES)
  const view = dataView(bytes)
  const magic = view.getUint32(0, true)
  if (magic !== MAGIC) refuse(kind, 0, 'bad_magic', 'SVCF', tagText(magic))
  const found = view.getUint32(4, true)
  if (found !== tagNumber(kind)) refuse(kind, 4, 'bad_magic', kind, tagText(found))
  const version = view.getUint16(8, true)
  if (version !== VERSION) throw new VersionError(`${kind} frame`, version, VERSION, VERSION)
  for (let at = 10; at < HEADER_BYTES; at++) {
    if (bytes[at] !== 0) refuse(kind, at, 'bad_value', 0, bytes[at]!)
  }
}

function readTail({ bytes, load }: Source, kind: Tag): Tail {
  const view = dataView(bytes)
  const footer = bytes.length - FOOTER_BYTES
  load?.(footer, bytes.length)
  const endMagic = view.getUint32(footer + 28, true)
  if (endMagic !== END_MAGIC) refuse(kind, footer + 28, 'bad_magic', 'FCVS', tagText(endMagic))
  const length = u64(view, footer + 16, kind)
  if (length !== bytes.length) refuse(kind, footer + 16, 'bad_length', length, bytes.length)
  const tableOffset = u64(view, footer, kind)
  const sectionCount = view.getUint32(footer + 8, true)
  const pageCount = view.getUint32(footer + 12, true)
  if (tableOffset < HEADER_BYTES) refuse(kind, footer, 'bad_value', HEADER_BYTES, tableOffset)
  const pagesAt = tableOffset + sectionCount * ENTRY_BYTES
  if (pagesAt + pageCount * 4 !== footer) refuse(kind, footer, 'bad_length', footer, pagesAt)
  if (pageCount !== Math.ceil(tableOffset / FRAME_PAGE_BYTES)) {
    refuse(kind, footer + 12, 'bad_value', Math.ceil(tableOffset / FRAME_PAGE_BYTES), pageCount)
  }
  load?.(tableOffset, footer)
  const expected = view.getUint32(footer + 24, true)
  const got = crc32(bytes.subarray(tableOffset, footer + 24))
  if (got !== expected) refuse(kind, footer + 24, 'bad_checksum', expected, got)
  const entries = readEntries(view, kind, tableOffset, sectionCount)
  return { tableOffset, entries, pageChecksums: bytes.subarray(pagesAt, footer) }
}

function readEntries(view: DataView, kind: Tag, tableOffset: number, count: number): Entry[] {
  const entries: Entry[] = []
  const seen = new Set<number>()
  let end = HEADER_BYTES
  for (let i = 0; i < count; i++) {
    const at = tableOffset + i * ENTRY_BYTES
    const tag = view.getUint32(at, true)
    const offset = u64(view, at + 8, kind)
    const length = u64(view, at + 16, kind)
    if (view.getUint16(at + 6, true) !== 0 || view.getUint32(at + 28, true) !== 0) {
      refuse(kind, at, 'bad_value', 'reserved zero', 'something else')
    }
    const begin = end + paddingAt(end)
    if (offset !== begin) refuse(kind, at + 8, 'bad_order', begin, offset)
    if (offset + length > tableOffset) {
      refuse(kind, at + 16, 'bad_length', tableOffset - offset, length)
    }
    if (seen.has(tag)) refuse(kind, at, 'bad_value', 'a tag not seen', tagText(tag))
    seen.add(tag)
    end = offset + length
    entries.push({
      tag: tagText(tag),
      version: view.getUint16(at + 4, true),
      offset,
      length,
      checksum: view.getUint32(at + 24, true),
    })
  }
  if (end !== tableOffset) refuse(kind, tableOffset, 'bad_value', end, tableOffset)
  return entries
}

/** Returns the same bytes as a plain Uint8Array: `slice` of a Buffer would not copy. */
const plain = (bytes: Uint8Array): Uint8Array =>
  bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function u64(view: DataView, at: number, kind: Tag): number {
  const high = view.getUint32(at + 4, true)
  if (high >= 0x200000) refuse(kind, at, 'bad_value', '< 2^53', high)
  return high * TWO_POW_32 + view.getUint32(at, true)
}
