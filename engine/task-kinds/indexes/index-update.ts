// The task kind that sets the primary key of an index, its name, or both.
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { optionalText, textOf as textOfBytes } from '../../../format/tasks/index.ts'
import { camelMembers, indexUidOrNull, snakeMembers, textOrNull } from '../../backup/dumps/index.ts'
import { documentCount, indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../../write/batching/index.ts'
import { badRecord } from '../../write/task-data/index.ts'
import {
  type BatchRun,
  batchTarget,
  commitBatch,
  contentOf,
  indexExists,
  indexNotFound,
  type TaskKind,
  uncommitted,
} from '../kind/index.ts'

export type IndexUpdateContent = {
  readonly kind: 'indexUpdate'
  readonly primaryKey: string | null
  readonly newUid: IndexUid | null
}

/** A rename is committed even if the primary key in the same request is refused. */
const run: BatchRun = async (environment, plan, control) => {
  const { manifest, now } = environment
  const uid = plan.work.indexUid!
  const { primaryKey, newUid } = contentOf<IndexUpdateContent>(plan)
  const target = batchTarget(manifest, uid, false)
  if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
  const name = newUid ?? uid
  if (name !== uid && indexOfUid(manifest.state, name) !== undefined) {
    return uncommitted(allFailed(plan, indexExists(name)))
  }
  const known = manifest.state.indexes.get(target.index)!
  const isRefused =
    primaryKey !== null && primaryKey !== known.primaryKey && documentCount(known) > 0
  const message = `Index \`${name}\`: Index already has a primary key: \`${known.primaryKey}\`.`
  const result = isRefused
    ? allFailed(plan, { code: 'index_primary_key_already_exists', message })
    : allSucceeded(plan)
  const swapped = name === uid ? {} : { swapped: [[uid, name]] as const }
  const built = { segments: [], target }
  return commitBatch(environment, control, { ...result, ...swapped }, built, () => {
    const { index } = target
    const changes: Change[] = []
    if (name !== uid) changes.push({ kind: 'index-renamed', index, uid: name })
    if (primaryKey !== null && !isRefused) {
      changes.push({ kind: 'primary-key-set', index, primaryKey })
    }
    const isSame = name === uid && primaryKey === null
    if (!isRefused && !isSame) changes.push({ kind: 'index-touched', index, at: now() })
    return changes
  })
}

export const indexUpdate: TaskKind<IndexUpdateContent> = {
  name: 'indexUpdate',
  number: 6,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'alone' },

  encode: ({ primaryKey, newUid }) => ({ primaryKey, names: newUid === null ? [] : [newUid] }),
  decode: ({ primaryKey, names }) => {
    if (names.length > 1) badRecord('at most one new name', names.length)
    return {
      kind: 'indexUpdate',
      primaryKey: optionalText(primaryKey),
      newUid: names.length === 0 ? null : asIndexUid(textOfBytes(names[0]!)),
    }
  },
  renamed: (content, names) => ({
    ...content,
    newUid: names.length === 0 ? null : asIndexUid(names[0]!),
  }),

  // A finished rename still shows the original names.
  enqueuedDetails: (view) => {
    const primaryKey = optionalText(view.primaryKey)
    if (view.names.length === 0) return { primaryKey }
    const oldIndexUid = optionalText(view.index)
    return { primaryKey, oldIndexUid, newIndexUid: textOfBytes(view.names[0]!) }
  },

  runs: { indexUpdate: run },

  dump: {
    needsIndex: true,
    tags: {
      indexUpdate: (members, place) => ({
        kind: 'indexUpdate',
        primaryKey: textOrNull(members['primary_key'], place),
        newUid: indexUidOrNull(members['uid'], place),
      }),
    },
    names: (members, place) => {
      const name = indexUidOrNull(members['uid'], place)
      return name === null ? [] : [name]
    },
    type: ({ primaryKey, newUid }) => ({ indexUpdate: { primary_key: primaryKey, uid: newUid } }),
    typeOfDetails: ({ primaryKey, newIndexUid = null }) => ({
      indexUpdate: {
        primary_key: typeof primaryKey === 'string' ? primaryKey : null,
        uid: newIndexUid,
      },
    }),
    details: (details) => ({
      IndexInfo: snakeMembers(details, 'primaryKey', 'newIndexUid', 'oldIndexUid'),
    }),
    detailsTags: {
      IndexInfo: (members) =>
        (members['new_index_uid'] ?? null) === null
          ? camelMembers(members, 'primary_key')
          : camelMembers(members, 'primary_key', 'old_index_uid', 'new_index_uid'),
    },
  },
}
