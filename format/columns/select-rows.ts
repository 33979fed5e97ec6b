// A segment in memory with one field, whose values are those of chosen elements: facets and sorts of
// the elements that match a filter read it as they read any segment.
import { ByteWriter } from '../bytes/index.ts'
import type { SegmentDocs } from '../fields/index.ts'
import { Frame } from '../frame/index.ts'
import type { FieldId } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import { COLUMNS_KIND, ColumnsReader, ColumnsWriter } from './columns-v1.ts'
import type { ElementSpace } from './elements-v1.ts'
import { mergeField } from './merge-field.ts'
import type { FieldInput } from './merge-rows.ts'

/** Chosen rows of a space, or documents of the segment itself. */
export type ChosenRows = { readonly source: ColumnsReader | ElementSpace; readonly rows: IdSet }

/**
 * Returns a segment with the documents of `reader`, in which they have the field with the values
 * of the chosen rows, or null if none has a value. Takes as long as merging these rows.
 * @throws CorruptionError
 */
export function selectRows(
  reader: ColumnsReader,
  fieldId: FieldId,
  chosen: readonly ChosenRows[],
): ColumnsReader | null {
  const inputs = chosen.flatMap(({ source, rows }): FieldInput[] => {
    const field = source.field(fieldId)
    if (field === null || rows.isEmpty) return []
    const dead = source.members().set.andNot(rows)
    return [{ field, dead, map: 'parent' in source ? source.documentsOfRows() : null }]
  })
  const field = mergeField(fieldId, inputs)
  if (field === null) return null
  const docs: SegmentDocs = {
    ids: reader.docs().toArray(),
    first: reader.firstId,
    last: reader.lastId,
  }
  const out = new ByteWriter(4096)
  const writer = new ColumnsWriter(docs, (bytes) => out.bytes(bytes))
  writer.field(field)
  writer.finish(null, null, 0)
  return ColumnsReader.open(Frame.open(out.finish(), COLUMNS_KIND))
}
