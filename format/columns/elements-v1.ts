// The elements of documents, objects in arrays, as rows · layout: ./COLUMNS.md, "Elements"
//
//   count, 0 · 24 bytes for each space · for each space its table, starts and owners
//
// A space has rows, whose numbers are ids for the fields of the space, and owners: the documents, or
// the rows of an outer space, that the rows are in.
import { ByteReader, ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import {
  DOCUMENT_IDS_MAX,
  Members,
  type Packed,
  packedBytes,
  packedView,
  widthFor,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { FieldId } from '../ids.ts'
import { decodeIdSet, encodeIds, IdSet, IdUnion } from '../idset/index.ts'
import type { FieldReader } from './field-reader.ts'
import { ENTRY_BYTES, FieldTable } from './field-table.ts'

const HEADER_BYTES = 8
const SPACE_BYTES = 24

/** The rows of one space. */
export type SpaceRows = {
  readonly path: FieldId
  /** Number of the outer space, from 1 on, or 0 for documents. */
  readonly parent: number
  readonly rowCount: number
  /** Documents or rows of the outer space, ascending; owner i has the rows [starts[i], starts[i + 1]). */
  readonly owners: Uint32Array
  readonly starts: Uint32Array
}

type WrittenSpace = { readonly rows: SpaceRows; readonly table: ByteWriter }

/** Collects the spaces of a segment while their fields are written elsewhere. */
export class ElementsWriter {
  readonly #spaces: WrittenSpace[] = []

  /** Adds a space; returns the table to which its fields are added. */
  space(rows: SpaceRows): ByteWriter {
    const { path, parent, rowCount, owners, starts } = rows
    const last = this.#spaces.at(-1)?.rows
    assert(parent <= this.#spaces.length, 'an outer space precedes the spaces inside it')
    assert(
      last === undefined || parent > last.parent || (parent === last.parent && path > last.path),
      'spaces are in order of their outer space and path',
    )
    assert(rowCount > 0 && rowCount < DOCUMENT_IDS_MAX, 'row numbers stay below DOCUMENT_IDS_MAX')
    assert(owners.length + 1 === starts.length, 'each owner has a start and an end')
    assert(starts[owners.length] === rowCount, 'each row has an owner')
    const table = new ByteWriter(64)
    this.#spaces.push({ rows, table })
    return table
  }

  /** Returns the section, or null without spaces. */
  finish(docCount: number): Uint8Array | null {
    if (this.#spaces.length === 0) return null
    const head = new ByteWriter(HEADER_BYTES + SPACE_BYTES * this.#spaces.length)
    const parts = new ByteWriter(256)
    const partsAt = HEADER_BYTES + SPACE_BYTES * this.#spaces.length
    head.u32(this.#spaces.length)
    head.u32(0)
    for (const { rows, table } of this.#spaces) {
      const { path, parent, rowCount, owners, starts } = rows
      const all = parent === 0 ? docCount : this.#spaces[parent - 1]!.rows.rowCount
      const set = owners.length === all ? new Uint8Array(0) : encodeIds(owners)
      assert(table.length % ENTRY_BYTES === 0, 'a table has whole entries')
      head.u16(path)
      head.u16(table.length / ENTRY_BYTES)
      head.u32(parent)
      head.u32(rowCount)
      head.u32(owners.length)
      head.u32(partsAt + parts.length)
      head.u32(set.length)
      parts.bytes(table.view())
      if (owners.length < rowCount) {
        parts.bytes(packedBytes(starts, starts.length, widthFor(rowCount)))
        parts.align(2)
      }
      parts.bytes(set)
      parts.align(4)
    }
    head.bytes(parts.view())
    return head.finish()
  }
}

/** The stored numbers of a space. */
type SpaceHead = {
  readonly path: number
  readonly fieldCount: number
  readonly rowCount: number
  readonly ownerCount: number
  readonly at: number
  readonly setBytes: number
}

/**
 * Reads all spaces. `data`: the section with the blocks of their fields, `docs`: the documents of
 * the segment. @throws CorruptionError
 */
export function readSpaces(
  segment: Segment,
  section: Section,
  data: Section,
  docs: Members,
): ElementSpace[] {
  const header = new ByteReader(section.read(0, HEADER_BYTES), section.tag)
  const count = header.u32()
  if (header.u32() !== 0) refuse(section.tag, 4, 'bad_value', 0, 'another value')
  const heads = new ByteReader(section.read(HEADER_BYTES, count * SPACE_BYTES), section.tag)
  const spaces: ElementSpace[] = []
  let end = HEADER_BYTES + count * SPACE_BYTES
  let last = { parent: 0, path: -1 }
  for (let i = 0; i < count; i++) {
    const place = HEADER_BYTES + i * SPACE_BYTES
    const path = heads.u16()
    const fieldCount = heads.u16()
    const parent = heads.u32()
    const isAfter = parent > last.parent || (parent === last.parent && path > last.path)
    if (parent > i || !isAfter) refuse(section.tag, place, 'bad_order', 'spaces in order', parent)
    last = { parent, path }
    const [rowCount, ownerCount, at, setBytes] = [
      heads.u32(),
      heads.u32(),
      heads.u32(),
      heads.u32(),
    ]
    const head: SpaceHead = { path, fieldCount, rowCount, ownerCount, at, setBytes }
    if (at !== end) refuse(section.tag, place, 'bad_value', end, at)
    const outer = spaces[parent - 1] ?? null
    const space = new ElementSpace({ segment, section, data, docs, outer }, head)
    spaces.push(space)
    end = space.end
  }
  if (end !== section.length) refuse(section.tag, end, 'bad_length', end, section.length)
  return spaces
}

type Segment = { spaces(): readonly ElementSpace[] }

type Around = {
  readonly segment: Segment
  readonly section: Section
  readonly data: Section
  readonly docs: Members
  readonly outer: ElementSpace | null
}

/** Reads one space in place: its fields have the methods of those of a segment, with rows as ids. */
export class ElementSpace {
  /** The field that holds the elements. */
  readonly path: FieldId
  /** Null if the owners are documents. */
  readonly parent: ElementSpace | null
  /** Number of rows. */
  readonly docCount: number
  readonly firstId = 0
  readonly lastId: number
  /** Offset of the end of its parts in the section. */
  readonly end: number
  readonly #segment: Segment
  readonly #section: Section
  readonly #fields: FieldTable
  readonly #outer: () => Members
  readonly #ownerCount: number
  readonly #startsAt: number
  readonly #setAt: number
  readonly #setBytes: number
  #rows: Members | null = null
  #owners: Members | null = null
  #starts: Packed | null = null

  /** @throws CorruptionError */
  constructor({ segment, section, data, docs, outer: parent }: Around, head: SpaceHead) {
    const { path, fieldCount, rowCount, ownerCount, at, setBytes } = head
    const outerCount = parent === null ? docs.size : parent.docCount
    if (rowCount === 0 || rowCount >= DOCUMENT_IDS_MAX) {
      refuse(section.tag, at, 'bad_value', `1..${DOCUMENT_IDS_MAX - 1} rows`, rowCount)
    }
    const most = Math.min(rowCount, outerCount)
    if (ownerCount === 0 || ownerCount > most || (setBytes === 0) !== (ownerCount === outerCount)) {
      refuse(section.tag, at, 'bad_value', `1..${most} owners`, ownerCount)
    }
    this.#segment = segment
    this.path = path
    this.parent = parent
    this.docCount = rowCount
    this.lastId = rowCount - 1
    this.#section = section
    this.#outer = () => (parent === null ? docs : parent.members())
    this.#ownerCount = ownerCount
    this.#setBytes = setBytes
    this.#startsAt = at + fieldCount * ENTRY_BYTES
    const startBytes = ownerCount === rowCount ? 0 : (ownerCount + 1) * widthFor(rowCount)
    this.#setAt = this.#startsAt + startBytes + (startBytes % 2)
    const ending = this.#setAt + setBytes
    this.end = ending + (-ending & 3)
    if (this.end > section.length) {
      refuse(section.tag, at, 'bad_length', this.end, section.length)
    }
    const bounds = { first: 0, last: rowCount - 1, count: rowCount }
    this.#fields = new FieldTable(section, at, fieldCount, data, () => this.members(), bounds)
  }

  /** Ids of the fields, ascending. */
  get fieldIds(): Uint16Array {
    return this.#fields.fieldIds
  }

  /** Returns the spaces of the elements inside its rows. */
  inner(): readonly ElementSpace[] {
    return this.#segment.spaces().filter(({ parent }) => parent === this)
  }

  /** Returns the column of a field, or null if no row has the field. @throws CorruptionError */
  field(fieldId: FieldId): FieldReader | null {
    return this.#fields.field(fieldId)
  }

  /** Returns all rows, with ranks. */
  members(): Members {
    this.#rows ??= new Members(IdSet.range(0, this.docCount))
    return this.#rows
  }

  /** Returns the documents, or rows of the outer space, that have rows. @throws CorruptionError */
  owners(): Members {
    this.#owners ??= this.#readOwners()
    return this.#owners
  }

  #readOwners(): Members {
    const outer = this.#outer()
    if (this.#setBytes === 0) return outer
    const set = decodeIdSet(this.#section.read(this.#setAt, this.#setBytes))
    if (set.size !== this.#ownerCount || set.andSize(outer.set) !== this.#ownerCount) {
      refuse(this.#section.tag, this.#setAt, 'bad_value', `${this.#ownerCount} owners`, set.size)
    }
    return new Members(set)
  }

  /**
   * Returns the first row of each owner and the number of rows; a view, or null if each owner has
   * one row. @throws CorruptionError
   */
  starts(): Packed | null {
    if (this.#ownerCount === this.docCount) return null
    if (this.#starts !== null) return this.#starts
    const count = this.#ownerCount + 1
    const width = widthFor(this.docCount)
    this.#section.touch(this.#startsAt, count * width)
    const starts = packedView(this.#section, this.#startsAt, count, width)
    for (let i = 0; i < count; i++) {
      const isRight = i === 0 ? starts[0] === 0 : starts[i]! > starts[i - 1]!
      if (!isRight) refuse(this.#section.tag, this.#startsAt, 'bad_order', 'ascending', starts[i]!)
    }
    if (starts[count - 1] !== this.docCount) {
      refuse(this.#section.tag, this.#startsAt, 'bad_value', this.docCount, starts[count - 1]!)
    }
    this.#starts = starts
    return starts
  }

  /** Returns the owners of some rows. */
  ownersOf(rows: IdSet): IdSet {
    const owners = this.owners()
    if (rows.isEmpty) return IdSet.empty
    if (rows.size === this.docCount) return owners.set
    const found = this.#ranksOf(rows.toArray())
    const all = owners.contiguous ? null : owners.set.toArray()
    for (let i = 0; i < found.length; i++) {
      found[i] = all === null ? owners.first + found[i]! : all[found[i]!]!
    }
    return IdSet.ofSorted(found)
  }

  /** Returns the document of each row. */
  documentsOfRows(): Uint32Array {
    const outer = this.parent?.documentsOfRows() ?? null
    const owners = this.owners().set.toArray()
    const starts = this.starts()
    const documents = new Uint32Array(this.docCount)
    for (let rank = 0; rank < owners.length; rank++) {
      const document = outer === null ? owners[rank]! : outer[owners[rank]!]!
      const end = starts === null ? rank + 1 : starts[rank + 1]!
      // `fill` takes longer for a few rows.
      for (let row = starts === null ? rank : starts[rank]!; row < end; row++) {
        documents[row] = document
      }
    }
    return documents
  }

  /** Returns the rows of some owners; other ids are ignored. */
  rowsOf(ids: IdSet): IdSet {
    const owners = this.owners()
    const starts = this.starts()
    const held = owners.set.and(ids)
    if (held.size === this.#ownerCount) return this.members().set
    const rows = new IdUnion(this.docCount)
    for (const id of held.toArray()) {
      const rank = owners.rankOf(id)
      const from = starts === null ? rank : starts[rank]!
      const to = starts === null ? rank + 1 : starts[rank + 1]!
      for (let row = from; row < to; row++) rows.add(row)
    }
    return rows.take()
  }

  /** Returns the ranks of the owners of ascending rows, each once. */
  #ranksOf(rows: Uint32Array): Uint32Array {
    const starts = this.starts()
    if (starts === null) return rows.slice()
    const ranks = new Uint32Array(Math.min(rows.length, this.#ownerCount))
    let n = 0
    let rank = -1
    let end = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if (row < end) continue
      rank = rankFrom(starts, rank + 1, row)
      end = starts[rank + 1]!
      ranks[n++] = rank
    }
    return ranks.subarray(0, n)
  }
}

/** Returns the rank, at least `from`, whose rows include `row`: most often one of the next. */
function rankFrom(starts: Packed, from: number, row: number): number {
  let low = from
  let step = 1
  while (low + step < starts.length && starts[low + step]! <= row) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, starts.length - 1)
  while (low + 1 < high) {
    const middle = (low + high) >>> 1
    if (starts[middle]! <= row) low = middle
    else high = middle
  }
  return low
}
