// The task kinds that cancel and delete other tasks. Their content is a query, and the tasks that it
// matched when the request was accepted. The queue carries them out itself.

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
import type { TaskKind } from './task-kind.ts'

const STORED = open(object<Pick<TargetsContent, 'query'>>({ query: text }))

function encodeTargets({ query, targets }: TargetsContent): Partial<RecordMembers> {
  const inline = encodeIdSet(targets)
  return { count: targets.size, content: JSON.stringify({ query }), inline }
}

/** @throws CorruptionError */
const queryOf = (view: EnqueuedView): string => contentAs(STORED, view).query

type Given<Content extends TargetsContent> = Pick<
  TaskKind<Content>,
  'name' | 'number' | 'queue' | 'queueWork'
> & {
  readonly name: Content['kind']
  /** The member of the details that holds the number of affected tasks. */
  readonly count: string
  /** Names of the content and of the details in a dump. */
  readonly tag: string
  readonly detailsTag: string
}

export const targetsKind = <Content extends TargetsContent>({
  count,
  tag,
  detailsTag,
  ...own
}: Given<Content>): TaskKind<Content> => ({
  ...own,
  isGlobal: true,
  isForLeader: false,
  encode: encodeTargets,
  decode: (view) =>
    ({
      kind: own.name,
      query: queryOf(view),
      targets: decodeIdSet(view.inline ?? badRecord('targets', 'none')),
    }) as Content,
  freesSpace: ({ targets }) => !targets.isEmpty,
  enqueuedDetails: (view) => ({
    matchedTasks: view.count,
    [count]: null,
    originalFilter: queryOf(view),
  }),
  zeros: { [count]: 0 },
  runs: {},
  dump: targetsDump(own.name, { tag, detailsTag, count }),
})

function targetsDump<Content extends TargetsContent>(
  kind: Content['kind'],
  { tag, detailsTag, count }: Pick<Given<Content>, 'tag' | 'detailsTag' | 'count'>,
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
