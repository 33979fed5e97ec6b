// The codes of an embedder's rows, as one list or as many: a list holds the rows that are nearest to
// its center, in blocks of its own · ./CODES.md "Codes", "Lists"
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { SegmentNo } from '../ids.ts'
import type { Kernel } from '../kernel/index.ts'
import { codeBytes } from './codes.ts'
import { BLOCK_ROWS, LISTS_MAX, SHARED_ROWS_MIN } from './limits.ts'

/** The number of a segment in the database, and the index of one of its embedders. */
export type SegmentPlace = { readonly segment: SegmentNo; readonly part: number }

/** The form of the rows that have codes. */
export type CodedRows = { readonly dimensions: number; readonly rows: number }

/** Bytes of codes that are copied at a time. */
const FILL_BYTES = 1 << 20
/** Bytes before the tables of lists: their number and that of blocks. */
const LISTS_HEAD_BYTES = 8

export class CodeTable {
  readonly dimensions: number
  /** Number of rows. */
  readonly count: number
  readonly lists: number
  /** Number of blocks of codes, those of all lists. */
  readonly blocks: number
  /** Bytes in the section. */
  readonly length: number
  readonly isListed: boolean
  readonly #section: Section
  readonly #at: { centers: number; rows: number; codes: number; starts: number; spreads: number }
  readonly #place: SegmentPlace | null
  #shared: { readonly host: Kernel; readonly at: number } | null = null
  #tables: ListTables | null = null

  private constructor(
    section: Section,
    at: number,
    { dimensions, rows }: CodedRows,
    size: { lists: number; blocks: number; isListed: boolean },
    place: SegmentPlace | null,
  ) {
    this.#section = section
    this.#place = place
    this.dimensions = dimensions
    this.count = rows
    this.lists = size.lists
    this.blocks = size.blocks
    this.isListed = size.isListed
    const starts = at + LISTS_HEAD_BYTES
    const spreads = starts + (size.lists + 1) * 4
    const centers = size.isListed ? spreads + size.lists * 4 : at
    const ends = centers + size.lists * dimensions * 4
    const codes = size.isListed ? ends + size.blocks * BLOCK_ROWS * 4 : ends
    this.#at = { starts, spreads, centers, rows: ends, codes }
    this.length = codes + size.blocks * BLOCK_ROWS * (codeBytes(dimensions) + 4) - at
  }

  /** Opens the codes of an embedder at offset `at`: one list. */
  static open(
    section: Section,
    at: number,
    rows: CodedRows,
    place: SegmentPlace | null,
  ): CodeTable {
    const size = { lists: 1, blocks: Math.ceil(rows.rows / BLOCK_ROWS), isListed: false }
    return new CodeTable(section, at, rows, size, place)
  }

  /** Opens the lists of an embedder at offset `at`. @throws CorruptionError */
  static openLists(
    section: Section,
    at: number,
    rows: CodedRows,
    place: SegmentPlace | null,
  ): CodeTable {
    const [lists = 0, blocks = 0] = numbersAt(section, at, 2)
    if (lists === 0 || lists > LISTS_MAX) {
      refuse(section.tag, at, 'bad_value', `1 to ${LISTS_MAX} lists`, lists)
    }
    const least = Math.ceil(rows.rows / BLOCK_ROWS)
    if (blocks < least || blocks > least + lists) {
      refuse(section.tag, at + 4, 'bad_value', `${least} to ${least + lists} blocks`, blocks)
    }
    return new CodeTable(section, at, rows, { lists, blocks, isListed: true }, place)
  }

  /** The centers of all lists, one after another. @throws CorruptionError */
  get centers(): Uint8Array {
    return this.#section.read(this.#at.centers, this.lists * this.dimensions * 4)
  }

  /**
   * By list, its first block; the last entry is the number of blocks. @throws CorruptionError
   */
  get starts(): Uint32Array {
    return this.#read().starts
  }

  /**
   * By list, the root mean square of the distances between its rows and its center. @throws
   * CorruptionError
   */
  get spreads(): Float32Array {
    return this.#read().spreads
  }

  /**
   * Returns the numbers of the rows of blocks [from, to): `count` or more in the padding of lists.
   * Null if rows have codes in their own order. @throws CorruptionError
   */
  rows(from: number, to: number): Uint32Array | null {
    if (!this.isListed) return null
    return numbersAt(this.#section, this.#at.rows + from * BLOCK_ROWS * 4, (to - from) * BLOCK_ROWS)
  }

  /** Returns the codes of blocks [from, to) of 16 rows: a view. @throws CorruptionError */
  codes(from: number, to: number): Uint8Array {
    assert(from <= to && to <= this.blocks, 'blocks are read that exist')
    const each = codeBytes(this.dimensions) * BLOCK_ROWS
    return this.#section.read(this.#at.codes + from * each, (to - from) * each)
  }

  /**
   * Returns the factors of the rows of blocks [from, to), 32-bit floats: a view. @throws
   * CorruptionError
   */
  factors(from: number, to: number): Uint8Array {
    const at = this.#at.codes + this.blocks * codeBytes(this.dimensions) * BLOCK_ROWS
    return this.#section.read(at + from * BLOCK_ROWS * 4, (to - from) * BLOCK_ROWS * 4)
  }

  /**
   * Returns the address of codes, factors and centers in the memory that threads share, or null if
   * they are not stored there. @throws CorruptionError
   */
  shared(host: Kernel): number | null {
    if (this.#shared?.host === host) return this.#shared.at
    const place = this.#place
    if (place === null || this.count < SHARED_ROWS_MIN) return null
    const { blocks, centers, sharedCentersAt } = this
    const blockBytes = codeBytes(this.dimensions) * BLOCK_ROWS
    const factorsAt = blocks * blockBytes
    const step = Math.max(1, Math.floor(FILL_BYTES / blockBytes))
    const at = host.memory.hold({ ...place, bytes: sharedCentersAt + centers.length }, (start) => {
      for (let from = 0; from < blocks; from += step) {
        host.write(start + from * blockBytes, this.codes(from, Math.min(blocks, from + step)))
      }
      host.write(start + factorsAt, this.factors(0, blocks))
      host.write(start + sharedCentersAt, centers)
    })
    if (at !== null) this.#shared = { host, at }
    return at
  }

  /** Offset of the centers in that memory. */
  get sharedCentersAt(): number {
    return this.blocks * BLOCK_ROWS * (codeBytes(this.dimensions) + 4)
  }

  #read(): ListTables {
    if (this.#tables !== null) return this.#tables
    assert(this.isListed, 'rows are in lists')
    const starts = numbersAt(this.#section, this.#at.starts, this.lists + 1)
    const spreads = numbersAt(this.#section, this.#at.spreads, this.lists)
    const { tag } = this.#section
    if (starts[0] !== 0) refuse(tag, this.#at.starts, 'bad_value', 0, starts[0]!)
    for (let l = 0; l < this.lists; l++) {
      if (starts[l + 1]! < starts[l]!) {
        refuse(tag, this.#at.starts + l * 4, 'bad_order', starts[l]!, starts[l + 1]!)
      }
    }
    if (starts.at(-1) !== this.blocks) {
      refuse(tag, this.#at.starts, 'bad_value', this.blocks, starts.at(-1)!)
    }
    const floats = new Float32Array(spreads.buffer, spreads.byteOffset, spreads.length)
    this.#tables = { starts, spreads: floats }
    return this.#tables
  }
}

/** Returns 32-bit numbers of a section, in place where they are aligned. @throws CorruptionError */
function numbersAt(section: Section, at: number, count: number): Uint32Array {
  const bytes = section.read(at, count * 4)
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(aligned.buffer, aligned.byteOffset, count)
}

type ListTables = { readonly starts: Uint32Array; readonly spreads: Float32Array }
