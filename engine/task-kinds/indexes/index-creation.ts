// The task kind that creates an index.

import { optionalText } from '../../../format/tasks/index.ts'
import { camelMembers, snakeMembers, textOrNull } from '../../backup/dumps/index.ts'
import { indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../../write/batching/index.ts'
import {
  type BatchRun,
  commitBatch,
  contentOf,
  indexExists,
  newTarget,
  type TaskKind,
  uncommitted,
} from '../kind/index.ts'

export type IndexCreationContent = {
  readonly kind: 'indexCreation'
  readonly primaryKey: string | null
}

const run: BatchRun = async (environment, plan, control) => {
  const { manifest, now } = environment
  const uid = plan.work.indexUid!
  const { primaryKey } = contentOf<IndexCreationContent>(plan)
  if (indexOfUid(manifest.state, uid) !== undefined) {
    // Documents that another instance handed over may have created the index already.
    const isHandedOver = environment.queue.network.isImport(plan.tasks[0]!.uid)
    return uncommitted(isHandedOver ? allSucceeded(plan) : allFailed(plan, indexExists(uid)))
  }
  const target = newTarget(manifest, uid)
  const built = { segments: [], target }
  return commitBatch(environment, control, allSucceeded(plan), built, () => {
    const changes = target.created(now())
    const { index } = target
    if (primaryKey !== null) changes.push({ kind: 'primary-key-set', index, primaryKey })
    return changes
  })
}

export const indexCreation: TaskKind<IndexCreationContent> = {
  name: 'indexCreation',
  number: 4,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'alone' },

  encode: ({ primaryKey }) => ({ primaryKey }),
  decode: ({ primaryKey }) => ({
    kind: 'indexCreation',
    primaryKey: optionalText(primaryKey),
  }),

  enqueuedDetails: ({ primaryKey }) => ({ primaryKey: optionalText(primaryKey) }),

  runs: { indexCreation: run },

  dump: {
    needsIndex: true,
    tags: {
      indexCreation: (members, place) => ({
        kind: 'indexCreation',
        primaryKey: textOrNull(members['primary_key'], place),
      }),
    },
    type: ({ primaryKey }) => ({ indexCreation: { primary_key: primaryKey } }),
    typeOfDetails: ({ primaryKey }) => ({
      indexCreation: { primary_key: typeof primaryKey === 'string' ? primaryKey : null },
    }),
    details: (details) => ({
      IndexInfo: snakeMembers(details, 'primaryKey', 'newIndexUid', 'oldIndexUid'),
    }),
    detailsTags: { IndexInfo: (members) => camelMembers(members, 'primary_key') },
  },
}
