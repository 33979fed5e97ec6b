// Test support: turns what decoding gives, views of the payload, into what encoding takes.
import { textOf } from './members.ts'
import type {
  BatchRecord,
  BatchView,
  EnqueuedRecord,
  EnqueuedView,
  KeptRecord,
  KeptView,
} from './records-v1.ts'

const optional = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)

export const enqueuedOfView = (view: EnqueuedView): EnqueuedRecord => ({
  ...view,
  index: optional(view.index),
  primaryKey: optional(view.primaryKey),
  metadata: optional(view.metadata),
  names: view.names.map(textOf),
  content: optional(view.content),
  inline: view.inline === null ? null : Uint8Array.from(view.inline),
})

export const keptOfView = (view: KeptView): KeptRecord => ({
  ...view,
  index: optional(view.index),
  metadata: optional(view.metadata),
  names: view.names.map(textOf),
  details: optional(view.details),
  error:
    view.error === null
      ? null
      : { code: textOf(view.error.code), message: textOf(view.error.message) },
})

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
