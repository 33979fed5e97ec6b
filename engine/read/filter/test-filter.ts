// For tests: a naive implementation of an index's columns over documents in memory.

import { compareText, type ExactNumber, isExactNumber } from '../../../format/bytes/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import { parseExact } from '../../text/index.ts'
import { compileRules, type FilterColumns, filterWording } from '../filter-syntax/index.ts'
import { geoAreas } from '../geo/index.ts'
import type { FilterContext } from './context.ts'

export type Json =
  | null
  | boolean
  | ExactNumber
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** The values of one document under one field name. */
type Cell = {
  readonly numbers: ExactNumber[]
  readonly texts: string[]
  isNull: boolean
  isEmpty: boolean
}

/** Facet normalization, simplified for tests. */
export const normalise = (text: string): string => text.trim().normalize('NFKD').toLowerCase()

/** A document, or an element with the path in front of its names. */
type Item = { readonly path: string; readonly value: JsonObject }

const nameIn = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

/** The fields of a document or element, nested ones under dotted names. */
function cellsOf({ path, value }: Item): Map<string, Cell> {
  const cells = new Map<string, Cell>()
  for (const [key, inner] of Object.entries(value)) fill(cells, nameIn(path, key), inner, false)
  return cells
}

/** The elements at a path: objects that have a field. */
function elementsAt(item: Item, path: string): Item[] {
  const found: Item[] = []
  for (const [key, value] of Object.entries(item.value)) {
    const name = nameIn(item.path, key)
    const inner = objectsIn(value).map((object): Item => ({ path: name, value: object }))
    if (name === path) found.push(...inner)
    else if (path.startsWith(`${name}.`))
      found.push(...inner.flatMap((one) => elementsAt(one, path)))
  }
  return found.filter((one) => cellsOf(one).size > 0)
}

const objectsIn = (value: Json): JsonObject[] => {
  if (value === null || typeof value !== 'object') return []
  return isList(value) ? value.flatMap(objectsIn) : [value]
}

function fill(cells: Map<string, Cell>, name: string, value: Json, isInArray: boolean): void {
  const cell = cells.get(name) ?? { numbers: [], texts: [], isNull: false, isEmpty: false }
  cells.set(name, cell)
  if (value === null) cell.isNull ||= !isInArray
  else if (isExactNumber(value)) cell.numbers.push(value)
  else if (typeof value === 'boolean') cell.texts.push(String(value))
  else if (typeof value === 'string') {
    if (value === '') cell.isEmpty ||= !isInArray
    else cell.texts.push(normalise(value))
  } else if (isList(value)) {
    if (value.length === 0) cell.isEmpty ||= !isInArray
    for (const item of value) fill(cells, name, item, true)
  } else {
    const entries = Object.entries(value)
    if (entries.length === 0) cell.isEmpty ||= !isInArray
    for (const [key, inner] of entries) fill(cells, `${name}.${key}`, inner, false)
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const compareNumbers = (a: ExactNumber, b: ExactNumber): number => (a < b ? -1 : Number(a > b))

type Combined =
  | 'numbersIn'
  | 'stringsIn'
  | 'numbersWithin'
  | 'stringsWithin'
  | 'stringsContaining'
  | 'stringsContainingEach'
  | 'geoCircles'
type SimpleColumns = Omit<FilterColumns, Combined>

/** Columns over documents or elements whose ids are their positions in the list. */
function memoryColumns(items: readonly Item[], names: readonly string[]): FilterColumns {
  const rows = items.map(cellsOf)
  const where = (field: number, holds: (cell: Cell) => boolean): IdSet => {
    return IdSet.of(
      [...rows.keys()].filter((id) => {
        const cell = rows[id]!.get(names[field]!)
        return cell !== undefined && holds(cell)
      }),
    )
  }
  const columns: SimpleColumns = {
    exists: (field) => where(field, () => true),
    nulls: (field) => where(field, (cell) => cell.isNull),
    empties: (field) => where(field, (cell) => cell.isEmpty),
    numberEquals: (field, value) =>
      where(field, (cell) => cell.numbers.some((n) => compareNumbers(n, value) === 0)),
    numberRange: (field, low, lowInclusive, high, highInclusive) =>
      where(field, (cell) =>
        [...cell.numbers, ...cell.texts.flatMap((t) => parseExact(t) ?? [])].some(
          (n) =>
            compareNumbers(n, low) >= Number(!lowInclusive) &&
            compareNumbers(n, high) <= -Number(!highInclusive),
        ),
      ),
    stringEquals: (field, text) => where(field, (cell) => cell.texts.includes(text)),
    stringRange: (field, low, lowInclusive, high, highInclusive) =>
      where(field, (cell) =>
        cell.texts.some(
          (t) =>
            Math.sign(compareText(t, low)) >= Number(!lowInclusive) &&
            (high === null || Math.sign(compareText(t, high)) <= -Number(!highInclusive)),
        ),
      ),
    stringPrefix: (field, prefix) =>
      where(field, (cell) => cell.texts.some((text) => text.startsWith(prefix))),
    stringContains: (field, part) =>
      where(field, (cell) => cell.texts.some((text) => text.includes(part))),
    geoRadius: (latitude, longitude, metres) => {
      const ids = [...rows.keys()].filter((id) => {
        const lat = rows[id]!.get('_geo.lat')?.numbers[0]
        const lng = rows[id]!.get('_geo.lng')?.numbers[0]
        if (lat === undefined || lng === undefined) return false
        return distance(latitude, longitude, Number(lat), Number(lng)) <= metres
      })
      return IdSet.of(ids)
    },
    placesIn: (latitude, longitude, { south, north, holds }) => {
      const ids = [...rows.keys()].filter((id) => {
        const lat = rows[id]!.get(names[latitude]!)?.numbers[0]
        const lng = rows[id]!.get(names[longitude]!)?.numbers[0]
        if (lat === undefined || lng === undefined) return false
        return lat >= south && lat <= north && holds(Number(lat), Number(lng))
      })
      return IdSet.of(ids)
    },
    elements: ({ fields }, _, match) => {
      const owners: number[] = []
      const elements = items.flatMap((item, id) => {
        const found = elementsAt(item, names[fields.at(-1)!] ?? '')
        for (const _ of found) owners.push(id)
        return found
      })
      const columns = memoryColumns(elements, names)
      const matching = match({ universe: IdSet.range(0, elements.length), columns })
      return IdSet.of(Array.from(matching.toArray(), (row) => owners[row]!))
    },
    groups: () => [],
  }
  return { ...columns, ...combinedColumns(columns) }
}

/** Searches for several values at a time, by searching for each. */
const combinedColumns = (columns: SimpleColumns): Pick<FilterColumns, Combined> => {
  const any = <T>(items: readonly T[], find: (item: T) => IdSet): IdSet =>
    items.map(find).reduce((all, one) => all.or(one), IdSet.empty)
  return {
    numbersIn: (field, values) =>
      any(Array.from(values), (value) => columns.numberEquals(field, value)),
    stringsIn: (field, values) => any([...values], (text) => columns.stringEquals(field, text)),
    numbersWithin: (field, ranges) =>
      any(ranges, ({ low, lowInclusive, high, highInclusive }) =>
        columns.numberRange(field, low, lowInclusive, high, highInclusive),
      ),
    stringsWithin: (field, ranges, prefixes) =>
      any(ranges, ({ low, lowInclusive, high, highInclusive }) =>
        columns.stringRange(field, low, lowInclusive, high, highInclusive),
      ).or(any(prefixes, (prefix) => columns.stringPrefix(field, prefix))),
    stringsContaining: (field, parts, checkpoint) =>
      any(parts, (part) => columns.stringContains(field, part, checkpoint)),
    stringsContainingEach: (field, parts, checkpoint) =>
      parts.map((part) => columns.stringContains(field, part, checkpoint)),
    geoCircles: (circles) =>
      any(circles, ({ latitude, longitude, metres }) =>
        columns.geoRadius(latitude, longitude, metres),
      ),
  }
}

const EARTH_METRES = 6_371_000

function distance(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const rad = Math.PI / 180
  const a =
    Math.sin(((lat2 - lat1) * rad) / 2) ** 2 +
    Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lng2 - lng1) * rad) / 2) ** 2
  return Math.round(2 * EARTH_METRES * Math.asin(Math.sqrt(Math.min(1, a))) * 1000) / 1000
}

/** A filter context over documents, as in a search of index `uid`. */
export function memoryContext(
  documents: readonly JsonObject[],
  attributes: readonly FilterableAttribute[],
  uid = 'x',
): FilterContext {
  const items = documents.map((value): Item => ({ path: '', value }))
  const names = [...new Set(items.flatMap((item) => [...cellsOf(item).keys()]))]
  const ids = new Map(names.map((name, id) => [name, id]))
  return {
    universe: IdSet.range(0, documents.length),
    fieldId: (name) => ids.get(name) ?? null,
    names,
    rules: compileRules(attributes),
    normalise,
    columns: memoryColumns(items, names),
    wording: filterWording('search', 'running', asIndexUid(uid)),
    vectors: null,
    shards: null,
    foreign: null,
    geojson: null,
    areas: geoAreas,
    known: null,
    checkpoint: () => undefined,
  }
}
