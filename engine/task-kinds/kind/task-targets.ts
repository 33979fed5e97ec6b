// The common content of cancelations and deletions of tasks: a query, and the tasks that it matched
// when the request was accepted.

import { decodeIdSet, encodeIdSet, IdSet } from '../../../format/idset/index.ts'
import { object, open, text } from '../../../format/schema/index.ts'
import type { EnqueuedView } from '../../../format/tasks/index.ts'
import {
  camelMembers,
  type DumpForm,
  roaringBytes,
  setOfRoaringBytes,
  snakeMembers,
  textOf,
} from '../../backup/dumps/index.ts'
import {
  badRecord,
  contentAs,
  type RecordMembers,
  type TargetsContent,
} from '../../write/task-data/index.ts'

const STORED = open(object<Pick<TargetsContent, 'query'>>({ query: text }))

export function encodeTargets({ query, targets }: TargetsContent): Partial<RecordMembers> {
  const inline = encodeIdSet(targets)
  return { count: targets.size, content: JSON.stringify({ query }), inline }
}

/** @throws CorruptionError */
export const targetsOf = (view: EnqueuedView) => ({
  query: queryOf(view),
  targets: decodeIdSet(view.inline ?? badRecord('targets', 'none')),
})

/** @throws CorruptionError */
export const queryOf = (view: EnqueuedView): string => contentAs(STORED, view).query

/** Returns true if the task matches any task; running it then frees space. */
export const hasTargets = ({ targets }: TargetsContent): boolean => !targets.isEmpty

/** `count`: the member of the details that holds the number of affected tasks. */
export function targetsDump<Content extends TargetsContent>(
  kind: Content['kind'],
  { tag, detailsTag, count }: { tag: string; detailsTag: string; count: string },
): DumpForm<Content> {
  const snakeCount = Object.keys(snakeMembers({}, count))[0]!
  return {
    needsIndex: false,
    tags: {
      [tag]: (members, place) =>
        ({
          kind,
          query: textOf(members['query'], place),
          targets: setOfRoaringBytes(members['tasks'], place),
        }) as Content,
    },
    type: ({ query, targets }) => ({ [tag]: { query, tasks: roaringBytes(targets) } }),
    typeOfDetails: ({ originalFilter }) => ({
      [tag]: { query: String(originalFilter ?? ''), tasks: roaringBytes(IdSet.empty) },
    }),
    details: (details) => ({
      [detailsTag]: snakeMembers(details, 'matchedTasks', count, 'originalFilter'),
    }),
    detailsTags: {
      [detailsTag]: (members) =>
        camelMembers(members, 'matched_tasks', snakeCount, 'original_filter'),
    },
  }
}
