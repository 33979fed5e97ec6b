// Converts decoded task records, whose texts are UTF-8, to the records that encoders accept, and an
// enqueued record to its decoded form without encoding it as a whole.
import { textOf, utf8Of } from './members.ts'
import type {
  BatchRecord,
  BatchView,
  EnqueuedRecord,
  EnqueuedView,
  KeptRecord,
  KeptView,
} from './records-v1.ts'

/** @throws CorruptionError if a text is not UTF-8 */
export const enqueuedOfView = (
  view: EnqueuedView,
): EnqueuedRecord & { readonly content: string | null } => ({
  ...view,
  index: optionalText(view.index),
  primaryKey: optionalText(view.primaryKey),
  metadata: optionalText(view.metadata),
  names: view.names.map(textOf),
  content: optionalText(view.content),
})

/**
 * Returns what decoding the encoded record would return. Bytes of the record are shared, not
 * copied.
 */
export const viewOfEnqueued = (record: EnqueuedRecord): EnqueuedView => ({
  ...record,
  index: optionalBytes(record.index),
  primaryKey: optionalBytes(record.primaryKey),
  metadata: optionalBytes(record.metadata),
  names: record.names.map(utf8Of),
  content: typeof record.content === 'string' ? utf8Of(record.content) : record.content,
})

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
  const outcomes = Array.from(outcomeUids, (uid, i) => ({
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

const optionalBytes = (text: string | null): Uint8Array | null =>
  text === null ? null : utf8Of(text)

const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)
