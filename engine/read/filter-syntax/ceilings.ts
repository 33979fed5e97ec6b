// Counts the elements of a filter while it is parsed, refuses the filter at the first limit it
// exceeds, and checks the clock: parsing a filter of megabytes takes longer than others should
// wait.
import type { EngineFault } from '../../model/index.ts'
import type { Checkpoint } from './columns.ts'
import {
  CONDITIONS_MAX,
  CORNERS_MAX,
  LISTED_VALUES_MAX,
  PART_UNITS_MAX,
  PLACES_MAX,
  VALUE_UNITS_MAX,
} from './limits.ts'
import type { FilterTree } from './tree.ts'
import { type FilterWording, plainFault } from './wording.ts'

/** Conditions and values between two checks of the clock: 0.2 ms. */
const STRIDE = 1024

export class Ceilings {
  readonly #wording: FilterWording
  readonly #checkpoint: Checkpoint
  #read = 0
  #conditions = 0
  #values = 0
  #places = 0
  #corners = 0
  #partUnits = 0

  constructor(wording: FilterWording, checkpoint: Checkpoint) {
    this.#wording = wording
    this.#checkpoint = checkpoint
  }

  /** Counts one condition or one value of a list. @throws errors of `checkpoint` */
  noteRead(): void {
    if (++this.#read % STRIDE === 0) this.#checkpoint()
  }

  /** Checks the length of a value, a number or a name. @throws EngineFault */
  noteValue(units: number): void {
    if (units > VALUE_UNITS_MAX) throw this.#fault('characters in one value', VALUE_UNITS_MAX)
  }

  /** Counts the condition `tree`, which may be negated. @throws EngineFault */
  count(tree: FilterTree): void {
    this.noteRead()
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
