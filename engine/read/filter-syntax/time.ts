// Faults of filters that exceed their time. A partial result of a filter is useless, so the answer
// is a fault.
import type { EngineFault } from '../../model/index.ts'
import { TASK_FILTER_MS_MAX } from './limits.ts'
import { type FilterWording, plainFault } from './wording.ts'

const FEWER = '  - Hint: use fewer conditions; list values with `IN` in place of many `=`.'

/** `ms`: the time limit of the search. */
export const filterTookTooLong = (wording: FilterWording, ms: number): EngineFault =>
  plainFault(
    wording,
    `The filter was stopped because the search took longer than ${ms} ms.\n${FEWER}\n` +
      '  - Hint: the time can be raised with the setting `searchCutoffMs` of the index.',
    { kind: 'timeUp' },
  )

export const taskFilterTookTooLong = (wording: FilterWording): EngineFault =>
  plainFault(
    wording,
    `The filter was stopped because it took longer than ${TASK_FILTER_MS_MAX} ms.\n${FEWER}`,
    { kind: 'timeUp' },
  )
