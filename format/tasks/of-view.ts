// Converts task records between views, whose texts are UTF-8, and records with decoded texts.
import { ByteWriter } from '../bytes/index.ts'
import type { TaskUid, U32Of } from '../ids.ts'
import type { BatchRecord, BatchView, OutcomeRecord } from './batch-record-v1.ts'
import { textOf, utf8Of } from './members.ts'
import type { KeptRecord, KeptView } from './records-v1.ts'

/** @throws CorruptionError if a text is not UTF-8 */
export const keptOfView = (view: KeptView): KeptRecord => ({
  ...view,
  index: optionalText(view.index),
  metadata: optionalText(view.metadata),
  names: view.names.map(textOf),
  details: optionalText(view.details),
  error:
    view.error === null
      ? null
      : { code: textOf(view.error.code), message: textOf(view.error.message) },
})

/** @throws CorruptionError if a text is not UTF-8 */
export function batchOfView(view: BatchView): BatchRecord {
  const { outcomeUids, outcomeStatuses, outcomeEnds, results, ...base } = view
  const outcomes = Array.from(outcomeUids, (uid: TaskUid, i) => ({
    uid,
    status: outcomeStatuses[i]!,
    result: textOf(results.subarray(i === 0 ? 0 : outcomeEnds[i - 1]!, outcomeEnds[i]!)),
  }))
  return {
    ...base,
    indexes: view.indexes.map(textOf),
    info: textOf(view.info),
    swapped: view.swapped.map(([left, right]) => [textOf(left), textOf(right)] as const),
    outcomes,
  }
}

export function viewOfBatch({ outcomes, ...base }: BatchRecord): BatchView {
  return {
    ...base,
    indexes: base.indexes.map(utf8Of),
    info: utf8Of(base.info),
    swapped: base.swapped.map(([left, right]) => [utf8Of(left), utf8Of(right)] as const),
    outcomeUids: Uint32Array.from(outcomes, ({ uid }) => uid) as U32Of<TaskUid>,
    outcomeStatuses: Uint8Array.from(outcomes, ({ status }) => status),
    ...joinedResults(outcomes),
  }
}

/** Encodes each run of equal results once: most tasks of a large batch have equal outcomes. */
function joinedResults(
  outcomes: readonly OutcomeRecord[],
): Pick<BatchView, 'outcomeEnds' | 'results'> {
  const out = new ByteWriter()
  let text = ''
  let bytes = utf8Of(text)
  const outcomeEnds = Uint32Array.from(outcomes, ({ result }) => {
    if (result !== text) {
      text = result
      bytes = utf8Of(text)
    }
    out.bytes(bytes)
    return out.length
  })
  return { outcomeEnds, results: out.finish() }
}

export const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)
