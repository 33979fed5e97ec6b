// Columns with the values of matching elements alone, for facets and sorts of the scope `match`. They
// are made for a field when it is first asked for.
import { type ChosenRows, type ColumnsReader, selectRows } from '../../../format/columns/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import type { ColumnsSegment } from '../facets/index.ts'
import {
  type ForeignFilters,
  type MatchedElements,
  type MatchedRows,
  matchedElements,
  splitFilter,
} from '../filter/index.ts'
import type { FilterEndpoint, FilterTree } from '../filter-syntax/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import { contextOf } from './candidates.ts'

/** Where a filter runs. */
type Running = {
  readonly view: SearchableView
  readonly endpoint: FilterEndpoint
  readonly control: SearchControl
  readonly foreign: ForeignFilters | null
}

export class MatchingValues {
  readonly #running: Running
  readonly #trees: readonly FilterTree[]
  #found: MatchedElements | null = null
  readonly #made = new Map<string, readonly ColumnsSegment[] | null>()

  /** `trees`: filters of searches, which were evaluated before; each adds its matching elements. */
  constructor(running: Running, trees: readonly FilterTree[]) {
    this.#running = running
    this.#trees = trees
  }

  /** Returns the values of elements that match any of the filters; null without filters. */
  static ofAll(all: readonly MatchingValues[]): MatchingValues | null {
    if (all.length < 2) return all[0] ?? null
    return new MatchingValues(
      all[0]!.#running,
      all.flatMap((one) => one.#trees),
    )
  }

  /** Returns the values without the conditions that name only `field`. */
  without(field: string): MatchingValues {
    const trees = this.#trees.flatMap((tree) => splitFilter(tree, new Set([field])).rest ?? [])
    return new MatchingValues(this.#running, trees)
  }

  /**
   * Returns the segments with the values that a field has in matching elements, or null if the
   * filter has no condition on elements that the field is in. @throws CorruptionError, Canceled
   */
  segments(field: string): readonly ColumnsSegment[] | null {
    const made = this.#made.get(field)
    if (made !== undefined) return made
    this.#found ??= this.#find()
    const segments = this.#segments(field, this.#found)
    this.#made.set(field, segments)
    return segments
  }

  #find(): MatchedElements {
    const { view, endpoint, control, foreign } = this.#running
    const context = contextOf(view, endpoint, control, foreign)
    const found = new Map<string, readonly MatchedRows[]>()
    for (const tree of this.#trees) {
      for (const [path, rows] of matchedElements(tree, context)) {
        found.set(path, [...(found.get(path) ?? []), ...rows])
      }
    }
    return found
  }

  #segments(field: string, found: MatchedElements): readonly ColumnsSegment[] | null {
    const paths = [...found.keys()].filter((path) => field.startsWith(`${path}.`))
    const id = this.#running.view.fieldId(field)
    if (paths.length === 0 || id === null) return null
    const innermost = paths.reduce((a, b) => (b.length > a.length ? b : a))
    const segments: ColumnsSegment[] = []
    for (const { reader, dead } of this.#running.view.view.layer(columnsLayer)) {
      const chosen = chosenIn(reader, innermost, found)
      const selected = chosen.length === 0 ? null : selectRows(reader, id, chosen)
      if (selected !== null) segments.push({ reader: selected, dead })
    }
    return segments
  }
}

/** Returns the matching elements of one segment; those of one source together. */
function chosenIn(
  reader: ColumnsReader,
  path: string,
  found: MatchedElements,
): readonly ChosenRows[] {
  const chosen = new Map<ChosenRows['source'], ChosenRows>()
  for (const { group, rows } of found.get(path) ?? []) {
    if (group.segment !== reader) continue
    const { source } = group
    chosen.set(source, { source, rows: chosen.get(source)?.rows.or(rows) ?? rows })
  }
  return [...chosen.values()]
}
