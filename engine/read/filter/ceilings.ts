// Counts what a filter asks for while it is read, and refuses it at the first ceiling it passes.
import type { EngineFault } from '../../model/index.ts'
import {
  CONDITIONS_MAX,
  CORNERS_MAX,
  LISTED_VALUES_MAX,
  PART_UNITS_MAX,
  PLACES_MAX,
} from './limits.ts'
import type { FilterTree } from './tree.ts'
import { type FilterWording, plainFault } from './wording.ts'

export class Ceilings {
  readonly #wording: FilterWording
  #conditions = 0
  #values = 0
  #places = 0
  #corners = 0
  #partUnits = 0

  constructor(wording: FilterWording) {
    this.#wording = wording
  }

  /** `tree` is a condition that was just read, or the negation of one. @throws EngineFault */
  count(tree: FilterTree): void {
    const leaf = tree.kind === 'not' ? tree.operand : tree
    if (++this.#conditions > CONDITIONS_MAX) throw this.#fault('conditions', CONDITIONS_MAX)
    switch (leaf.kind) {
      case 'in':
        this.#values += leaf.values.length
        if (this.#values > LISTED_VALUES_MAX) throw this.#fault('`IN` values', LISTED_VALUES_MAX)
        return
      case 'geoPolygon':
        this.#corners += leaf.points.length
        if (this.#corners > CORNERS_MAX) throw this.#fault('corners of polygons', CORNERS_MAX)
        this.#countPlace()
        return
      case 'geoRadius':
      case 'geoBox':
        this.#countPlace()
        return
      case 'contains':
        this.#partUnits += leaf.value.text.length
        if (this.#partUnits > PART_UNITS_MAX) {
          throw this.#fault('characters to look for with `CONTAINS`', PART_UNITS_MAX)
        }
    }
  }

  #countPlace(): void {
    if (++this.#places > PLACES_MAX) throw this.#fault('geo conditions', PLACES_MAX)
  }

  #fault(what: string, most: number): EngineFault {
    const sentence =
      `The filter has more than ${most} ${what}, the most that one filter may have.\n` +
      '  - Hint: split the request, or keep in a field of the documents what the filter lists.'
    return plainFault(this.#wording, sentence)
  }
}
