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
  const elements = reader.spaces().map((space) => ({
    path: fieldText(space.path, names),
    in: space.parent === null ? 'documents' : fieldText(space.parent.path, names),
    owners: space.owners().size,
    rows: space.docCount,
    fields: space.fieldIds.length,
  }))
  const fieldTable = {
    columns: ['field', 'documents', 'numbers', 'in', 'strings', 'in', 'nulls', 'empties'],
    rows: fields.map((field) => Object.values(field)),
  }
  const elementTable = {
    columns: ['elements', 'of', 'owners', 'rows', 'fields'],
    rows: elements.map((space) => Object.values(space)),
  }
  const content = { layer: 'columns', points, fields }
  return {
    content: elements.length === 0 ? content : { ...content, elements },
    facts: [['points', { count: points }]],
    tables: elements.length === 0 ? [fieldTable] : [fieldTable, elementTable],
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
  const fields = { title: 'DATA: a block a field', columns, rows }
  return frame.has('ELEM') ? [fields, elementsTable(frame, names)] : [fields]
}

/** Returns the table of spaces described in format/columns/COLUMNS.md, "Elements". */
function elementsTable(frame: Frame, names: readonly string[] | null): LayerTable {
  const section = frame.section('ELEM')
  const input = new ByteReader(section.all(), section.tag)
  const count = input.u32()
  input.u32()
  const rows = Array.from({ length: count }, () => {
    const path = fieldText(input.u16(), names)
    const [fields, parent, elements, owners, at] = [
      input.u16(),
      input.u32(),
      input.u32(),
      input.u32(),
      input.u32(),
    ]
    input.u32()
    return [path, parent, elements, owners, fields, at]
  })
  const columns = ['path', 'parent', 'rows', 'owners', 'fields', 'offset']
  return { title: 'ELEM: a space a row', columns, rows }
}
