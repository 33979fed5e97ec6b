// Writes a frame: bytes go to the sink in order, checksums are computed on the way · layout:
// ./FRAME.md
import { crc32 } from 'node:zlib'
import { ByteWriter } from '../bytes/index.ts'
import { assert } from '../errors.ts'
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
  VERSION,
} from './layout-v1.ts'

const SECTIONS_MAX = 65536

/** Receives bytes in file order. They are valid only during the call. */
export type ByteSink = (bytes: Uint8Array) => void

type OpenSection = { tag: number; version: number; offset: number; checksum: number }

/**
 * Writes one frame front to back. Call `begin`, `write` any number of times and `end` for each
 * section, then `finish`.
 */
export class FrameWriter {
  readonly #sink: ByteSink
  readonly #table = new ByteWriter()
  readonly #pages = new ByteWriter()
  readonly #tags = new Set<number>()
  #at = 0
  #pageChecksum = 0
  #open: OpenSection | null = null
  #finished = false

  constructor(kind: Tag, sink: ByteSink) {
    this.#sink = sink
    const header = new ByteWriter(HEADER_BYTES)
    header.u32(MAGIC)
    header.u32(tagNumber(kind))
    header.u16(VERSION)
    header.u16(0)
    header.u32(0)
    this.#emit(header.finish())
  }

  /** Number of bytes of the open section written so far. */
  get sectionBytes(): number {
    assert(this.#open !== null, 'a section is open')
    return this.#at - this.#open.offset
  }

  begin(tag: Tag, version: number): void {
    assert(this.#open === null, 'one section is open at a time')
    assert(!this.#finished, 'nothing is written after the footer')
    const number = tagNumber(tag)
    assert(!this.#tags.has(number), 'a tag occurs once in a frame')
    assert(this.#tags.size < SECTIONS_MAX, 'a frame has at most SECTIONS_MAX sections')
    this.#tags.add(number)
    const padding = paddingAt(this.#at)
    if (padding > 0) this.#emit(new Uint8Array(padding))
    this.#open = { tag: number, version, offset: this.#at, checksum: 0 }
  }

  write(bytes: Uint8Array): void {
    assert(this.#open !== null, 'bytes are written into an open section')
    if (bytes.length === 0) return
    this.#open.checksum = crc32(bytes, this.#open.checksum)
    this.#emit(bytes)
  }

  /** `version`: given if the content of the section decides it. */
  end(version?: number): void {
    const open = this.#open
    assert(open !== null, 'a section is open')
    this.#table.u32(open.tag)
    this.#table.u16(version ?? open.version)
    this.#table.u16(0)
    this.#table.u64(open.offset)
    this.#table.u64(this.#at - open.offset)
    this.#table.u32(open.checksum)
    this.#table.u32(0)
    this.#open = null
  }

  /** Writes a whole section. */
  section(tag: Tag, version: number, bytes: Uint8Array): void {
    this.begin(tag, version)
    this.write(bytes)
    this.end()
  }

  /** Writes the tail; returns the length of the whole frame in bytes. */
  finish(): number {
    assert(this.#open === null, 'the last section was ended')
    assert(!this.#finished, 'a frame is finished once')
    this.#finished = true
    const tableOffset = this.#at
    if (this.#at % FRAME_PAGE_BYTES !== 0) this.#pages.u32(this.#pageChecksum)
    const tail = new ByteWriter(this.#table.length + this.#pages.length + FOOTER_BYTES)
    tail.bytes(this.#table.view())
    tail.bytes(this.#pages.view())
    tail.u64(tableOffset)
    assert(this.#table.length === this.#tags.size * ENTRY_BYTES, 'each section is in the table')
    tail.u32(this.#table.length / ENTRY_BYTES)
    tail.u32(this.#pages.length / 4)
    const length = tableOffset + tail.length + 16
    tail.u64(length)
    tail.u32(crc32(tail.view()))
    tail.u32(END_MAGIC)
    assert(tableOffset + tail.length === length, 'a frame is as long as its footer says')
    this.#sink(tail.finish())
    return length
  }

  #emit(bytes: Uint8Array): void {
    this.#sink(bytes)
    let from = 0
    while (from < bytes.length) {
      const room = FRAME_PAGE_BYTES - (this.#at % FRAME_PAGE_BYTES)
      const take = Math.min(room, bytes.length - from)
      const part = from === 0 && take === bytes.length ? bytes : bytes.subarray(from, from + take)
      this.#pageChecksum = crc32(part, this.#pageChecksum)
      this.#at += take
      from += take
      if (take === room) {
        this.#pages.u32(this.#pageChecksum)
        this.#pageChecksum = 0
      }
    }
  }
}

/** Writes a frame into memory and returns it. */
export function encodeFrame(kind: Tag, fill: (writer: FrameWriter) => void): Uint8Array {
  const out = new ByteWriter(1024)
  const writer = new FrameWriter(kind, (bytes) => out.bytes(bytes))
  fill(writer)
  writer.finish()
  return out.finish()
}
