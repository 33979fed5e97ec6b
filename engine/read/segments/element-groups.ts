// The elements of one segment at a path, in groups with columns of their own
// (format/columns/COLUMNS.md, "Elements"); and places of documents or elements.
import type { ColumnsReader, ElementSpace, FieldReader } from '../../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { Area, Checkpoint, ElementPath } from '../filter-syntax/index.ts'
import { addNumbersWithin } from './column-unions.ts'

/** Places between two checks of the clock: about 0.2 ms. */
const STRIDE = 1024

/** The columns of documents, or of the elements of a space. */
export type Source = ColumnsReader | ElementSpace

/** Elements with the same columns, and the spaces that lead to them from those asked. */
type Group = {
  readonly source: Source
  readonly universe: IdSet
  readonly spaces: readonly ElementSpace[]
}

/**
 * Returns the elements at a path of the documents of one segment, or of the elements of one space.
 * One that has the path in no array is its own element.
 */
export function groupsOf(
  source: Source,
  path: ElementPath,
  spaces: readonly ElementSpace[] = [],
): readonly Group[] {
  const groups: Group[] = []
  let owners = IdSet.empty
  for (const space of source.inner()) {
    const at = path.fields.indexOf(space.path)
    if (at < 0) continue
    const inner = [...spaces, space]
    const isPath = at === path.fields.length - 1
    if (isPath) groups.push({ source: space, universe: space.members().set, spaces: inner })
    else groups.push(...groupsOf(space, path, inner))
    owners = owners.or(space.owners().set)
  }
  if (owners.size === source.docCount) return groups
  const universe = holders(source, path).andNot(owners)
  if (!universe.isEmpty) groups.push({ source, universe, spaces })
  return groups
}

/** Returns the documents or elements with a field below the path. */
function holders(source: Source, { below }: ElementPath): IdSet {
  const union = new IdUnion(source.lastId + 1)
  for (const id of below) {
    const field = source.field(id)
    if (field !== null) union.addSet(field.exists())
  }
  return union.take()
}

/** Returns the documents with a place in the area. */
export function placesIn(
  latitudes: FieldReader,
  longitudes: FieldReader,
  { south, north, holds }: Area,
  checkpoint: Checkpoint,
): IdSet {
  const union = new IdUnion(0)
  const range = { low: south, lowInclusive: true, high: north, highInclusive: true }
  addNumbersWithin(latitudes, [range], union, checkpoint)
  const ids = union.take().toArray()
  for (let i = 0; i < ids.length; i++) {
    if (i % STRIDE === 0) checkpoint()
    const [latitude, longitude] = [
      latitudes.numbersOf(ids[i]!)[0],
      longitudes.numbersOf(ids[i]!)[0],
    ]
    if (latitude === undefined || longitude === undefined) continue
    const [lat, lng] = [latitudes.numberAt(latitude), longitudes.numberAt(longitude)]
    if (holds(Number(lat), Number(lng))) union.add(ids[i]!)
  }
  return union.take()
}
