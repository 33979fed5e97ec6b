// CSV bodies: each row becomes a JSON object. The header names the members; suffixes such as
// `name:number` give their type. An empty cell is null, in a column of JSON no member; of two columns
// with the same name the last one is used, at the position of the first.
import {
  BRACE,
  BRACE_END,
  COLON,
  COMMA,
  encoder,
  exactDecoder,
} from '../../../format/bytes/index.ts'
import { firstInvalid, JsonBuffer, jsonKey, writeJsonString } from '../../../format/json/index.ts'
import type { EngineFault } from '../../model/index.ts'
import type { BodySink, Intake, IntakeResult } from './contract.ts'
import { booleanCell, type CellKind, jsonCell, numberCell } from './csv-cells.ts'
import { type PlaceColumns, placeCell, placeColumns } from './csv-places.ts'
import { CsvReader } from './csv-reader.ts'
import { csvDelimiterHint, malformedCsv, missingPayload } from './faults.ts'

const PIECE_BYTES = 65536
const NULL = encoder.encode('null')

/** A member of every row, and the column it is read from. */
type Output = { readonly key: Uint8Array; readonly column: number }

export class CsvIntake implements Intake {
  readonly #sink: BodySink
  readonly #reader: CsvReader
  readonly #out = new JsonBuffer(PIECE_BYTES)
  /** Receives cells that another column replaces; they must still be well-formed. */
  readonly #unused = new JsonBuffer(64)
  #kinds: CellKind[] | null = null
  #firstColumn = ''
  #outputs: Output[] = []
  #replaced: number[] = []
  #place: PlaceColumns | null = null
  #documents = 0
  #isEmpty = true

  /** `delimiter` is one ASCII character. */
  constructor(delimiter: string, sink: BodySink) {
    this.#sink = sink
    this.#reader = new CsvReader(delimiter.charCodeAt(0))
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#isEmpty = false
    this.#reader.feed(chunk)
    while (this.#reader.next()) this.#record()
  }

  finish(): IntakeResult {
    if (this.#isEmpty) throw missingPayload('csv')
    if (this.#reader.finish()) {
      const line = this.#reader.swallowingQuoteLine
      if (line > 0) throw unclosedQuote(line)
      this.#record()
    }
    if (this.#out.length > 0) this.#sink(this.#out.view())
    this.#out.clear()
    return { documents: this.#documents }
  }

  #record(): void {
    const kinds = this.#kinds
    if (kinds !== null && kinds.length !== this.#reader.fieldCount) {
      throw this.#wrongLength(kinds.length)
    }
    if (this.#reader.isSuspect) this.#checkText()
    if (kinds === null) {
      this.#header()
      return
    }
    this.#documents++
    this.#row(kinds)
    if (this.#out.length < PIECE_BYTES) return
    this.#sink(this.#out.view())
    this.#out.clear()
  }

  #wrongLength(expected: number): EngineFault {
    const { record, line, byte, fieldCount } = this.#reader
    return malformedCsv(
      `CSV error: record ${record} (line: ${line}, byte: ${byte}): found record with ` +
        `${fieldCount} fields, but the previous record has ${expected} fields`,
      expected === 1 ? csvDelimiterHint(this.#firstColumn) : '',
    )
  }

  #checkText(): void {
    const { record, line, byte, fieldCount, text, ends } = this.#reader
    for (let field = 0; field < fieldCount; field++) {
      const from = field === 0 ? 0 : ends[field - 1]!
      const bad = firstInvalid(text.bytes, from, ends[field]!)
      if (bad === ends[field]) continue
      throw malformedCsv(
        `CSV parse error: record ${record} (line ${line}, field: ${field}, byte: ${byte}): ` +
          `invalid utf-8: invalid UTF-8 in field ${field} near byte index ${bad - from}`,
      )
    }
  }

  #header(): void {
    const { fieldCount, text, ends } = this.#reader
    const columnOf = new Map<string, number>()
    const declared: (CellKind | null)[] = []
    for (let field = 0; field < fieldCount; field++) {
      const from = field === 0 ? 0 : ends[field - 1]!
      const { name, kind } = columnHead(exactDecoder.decode(text.bytes.subarray(from, ends[field])))
      declared.push(kind)
      const before = columnOf.get(name)
      if (before !== undefined) this.#replaced.push(before)
      columnOf.set(name, field)
    }
    this.#kinds = declared.map((kind) => kind ?? 'string')
    this.#firstColumn = columnOf.keys().next().value ?? ''
    this.#place = placeColumns(columnOf, declared)
    this.#outputs = [...columnOf].map(([name, column]) => ({ key: jsonKey(name), column }))
  }

  #row(kinds: readonly CellKind[]): void {
    for (const column of this.#replaced) {
      this.#unused.clear()
      this.#cell(column, kinds[column]!, this.#unused)
    }
    const out = this.#out
    let first = true
    for (const { key, column } of this.#outputs) {
      if (kinds[column] === 'json' && this.#isEmptyCell(column)) continue
      out.byte(first ? BRACE : COMMA)
      out.append(key, 0, key.length)
      out.byte(COLON)
      if (column === this.#place?.latitude) this.#placeCell(this.#place, out)
      else this.#cell(column, kinds[column]!, out)
      first = false
    }
    if (first) out.byte(BRACE)
    out.byte(BRACE_END)
  }

  #isEmptyCell(column: number): boolean {
    const { ends } = this.#reader
    return ends[column] === (column === 0 ? 0 : ends[column - 1])
  }

  #placeCell({ latitude, longitude }: PlaceColumns, out: JsonBuffer): void {
    const position = { row: this.#documents, line: this.#reader.line }
    const isOneCell = latitude === longitude
    placeCell(this.#textOf(latitude), this.#textOf(longitude), isOneCell, position, out)
  }

  #textOf(column: number): string {
    const { text, ends } = this.#reader
    return exactDecoder.decode(
      text.bytes.subarray(column === 0 ? 0 : ends[column - 1]!, ends[column]),
    )
  }

  #cell(column: number, kind: CellKind, out: JsonBuffer): void {
    const { text, ends } = this.#reader
    const from = column === 0 ? 0 : ends[column - 1]!
    const to = ends[column]!
    if (from === to) out.append(NULL, 0, NULL.length)
    else if (kind === 'string') writeJsonString(out, text.bytes, from, to)
    else if (kind === 'number') numberCell(text.bytes, from, to, this.#documents, out)
    else if (kind === 'json') jsonCell(text.bytes, from, to, this.#documents, out)
    else booleanCell(text.bytes, from, to, this.#documents, out)
  }
}

/**
 * Within one line an unclosed quote is accepted, as clients expect; over several lines rows would
 * be lost in the field.
 */
const unclosedQuote = (line: number): EngineFault =>
  malformedCsv(
    `CSV error: the quote that opens in line ${line} is never closed, so the rows after it would ` +
      'become part of its field. Close it, or write a quote that is text as two quotes',
  )

const KINDS: readonly CellKind[] = ['string', 'number', 'boolean', 'json']

/** Parses a header cell: `name`, or `name:type` with the type after its last colon. */
function columnHead(cell: string): { readonly name: string; readonly kind: CellKind | null } {
  const colon = cell.lastIndexOf(':')
  const suffix = cell.slice(colon + 1)
  const kind = KINDS.find((one) => one === suffix)
  if (colon >= 0 && kind !== undefined) return { name: cell.slice(0, colon), kind }
  return { name: cell, kind: null }
}
