// The forms of a task, for tests: its record, its details while it waits, its form in dumps.
import { expect } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import {
  decodeEnqueued,
  type EnqueuedView,
  encodeEnqueued,
  textOf,
} from '../../../format/tasks/index.ts'
import type { Task } from '../../write/task-data/types.ts'
import { type TaskContent, taskKinds } from '../index.ts'

const TASK = { indexUid: 'pens', uid: 7 } as unknown as Task

/** Returns the record of a request, decoded from its bytes. */
export function recordOf(content: TaskContent): EnqueuedView {
  const request = { indexUid: asIndexUid('pens'), content, customMetadata: null }
  return decodeEnqueued(encodeEnqueued(taskKinds.recordOf(asTaskUid(7), 1000, request)))
}

export function formsOf(content: TaskContent) {
  const kind = taskKinds.named(content.kind)
  const view = recordOf(content)
  return {
    decoded: taskKinds.contentOf(view),
    details: taskKinds.enqueuedDetails(view, view.names.map(textOf)),
    dumped: kind.dump.type(content as never, TASK),
    record: view,
  }
}

/** Returns a finished task in a dump, from the details that clients saw. */
export function finishedForms(kindName: string, details: object) {
  const { dump } = taskKinds.named(kindName)
  return {
    type: dump.typeOfDetails(details as never, TASK),
    details: dump.details(details as never, null as never),
  }
}

/** Returns the content that a tag of a dump stands for. */
export const readFromDump = (kindName: string, tag: string, members: object): unknown =>
  taskKinds.named(kindName).dump.tags[tag]!(members as never, 'here')

/** Returns the details that a tag of a dump stands for. */
export const readDetails = (kindName: string, tag: string, members: object): unknown =>
  taskKinds.named(kindName).dump.detailsTags[tag]!(members as never, 'here')

/** Returns how the queue treats a kind, in words. */
export function treatmentOf(kindName: string): string {
  const kind = taskKinds.named(kindName)
  const { queue } = kind
  const own = queue.of === 'kind' ? `queue ${queue.order}, takes ${queue.takes}` : 'index'
  const flags = ['isGlobal', 'isForLeader', 'isRetried', 'holdsSecret', 'failsWithStorage'] as const
  const words = flags.filter((flag) => kind[flag])
  return [own, ...words, ...(kind.dump.needsIndex ? ['needsIndex'] : [])].join(' ')
}

/** Expects that a request keeps its content in records and dumps. `rest`: its members but `kind`. */
export function expectForms(kind: string, rest: object, details: unknown, dumped: unknown): void {
  const content = { kind, ...rest } as TaskContent
  const forms = formsOf(content)
  expect(forms.decoded).toEqual(content)
  expect(forms.details).toEqual(details)
  expect(forms.dumped).toEqual(dumped)
  const [tag, members] =
    typeof dumped === 'string' ? [dumped, {}] : Object.entries(dumped as object)[0]!
  expect(readFromDump(kind, tag, members)).toEqual(content)
}
