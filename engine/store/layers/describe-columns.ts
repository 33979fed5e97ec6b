// Describes a segment of the columns layer: number of values of each field by type.
import { ByteReader } from '../../../format/bytes/index.ts'
import { ColumnsReader } from '../../../format/columns/index.ts'
import { assert } from '../../../format/errors.ts'
import type { Frame } from '../../../format/frame/index.ts'
import { fieldText, type LayerDescription, type LayerTable } from './description.ts'

/** Reads the sets of every field. @throws CorruptionError, VersionError */
export function describeColumns(frame: Frame, names: readonly string[] | null): LayerDescription {
  const reader = ColumnsReader.open(frame)
  const points = reader.geo()?.count ?? 0
  const fields = Array.from(reader.fieldIds, (id) => {
    const field = reader.field(id)
    assert(field !== null, 'a field of the table is there')
    return {
      field: fieldText(id, names),
      documents: field.exists().size,
      distinctNumbers: field.numberCount,
      documentsWithNumbers: field.numberHolders().size,
      distinctStrings: field.stringCount,
      documentsWithStrings: field.stringHolders().size,
      nulls: field.nulls().size,
      empties: field.empties().size,
    }
  })
  return {
    content: { layer: 'columns', points, fields },
    facts: [['points', { count: points }]],
    tables: [
      {
        columns: ['field', 'documents', 'numbers', 'in', 'strings', 'in', 'nulls', 'empties'],
        rows: fields.map((field) => Object.values(field)),
      },
    ],
  }
}

/** Returns the table of blocks described in format/columns/COLUMNS.md, "FLDS". */
export function columnsTables(frame: Frame, names: readonly string[] | null): LayerTable[] {
  const section = frame.section('FLDS')
  const input = new ByteReader(section.all(), section.tag, 12)
  const rows: (string | number)[][] = []
  for (let count = input.u32(); count > 0; count--) {
    const field = input.u16()
    const head = input.u16()
    rows.push([fieldText(field, names), input.u32(), input.u32(), head])
  }
  const columns = ['field', 'offset', 'bytes', 'head']
  return [{ title: 'DATA: a block a field', columns, rows }]
}
