// The task kind that changes settings, alone or together with the removal of all documents. The
// remaining documents are reindexed if the change requires it.

import type { Layer } from '../../../format/manifest/index.ts'
import { anyObject } from '../../../format/schema/index.ts'
import { type EnqueuedView, FLAG_MAY_CREATE, FLAG_RESET } from '../../../format/tasks/index.ts'
import type { Templates } from '../../ai/template/index.ts'
import { membersOf, settingsPatch } from '../../backup/dumps/index.ts'
import { EngineFault } from '../../model/index.ts'
import {
  applyPatch,
  detailsOf,
  encodeSettings,
  type IndexSettings,
  resetPatch,
  type SettingsPatch,
} from '../../settings/index.ts'
import { documentCount } from '../../store/catalog/index.ts'
import { layersAffected } from '../../store/layers/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import {
  clearChanges,
  congestionOf,
  layersRemoved,
  type Rebuilt,
  rebuiltChanges,
} from '../../write/batches/index.ts'
import {
  allFailed,
  allSucceeded,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  clearSucceeded,
} from '../../write/batching/index.ts'
import {
  contentAs,
  type EncodedContent,
  flagIf,
  type RecordMembers,
  unpackMetadata,
} from '../../write/task-data/index.ts'
import {
  type BatchTarget,
  batchTarget,
  commitBatch,
  hooksOf,
  indexNotFound,
  runningTasks,
  type TaskEnvironment,
  type TaskKind,
  uncommitted,
  withIndexName,
} from '../kind/index.ts'
import { embeddingSession, failedWith, requestsOf } from './embedding.ts'
import { tryEmbedders } from './try-embedders.ts'

export type SettingsContent = {
  readonly kind: 'settingsUpdate'
  /** Only the settings that the client sent; null resets one. Validated by `engine/settings`. */
  readonly patch: { readonly [setting: string]: unknown }
  readonly isDeletion: boolean
  readonly allowIndexCreation: boolean
  /**
   * True for settings that another instance sends during a change of the network: they replace all
   * settings in one step, so that no search runs with default settings.
   */
  readonly isWhole?: boolean
  /** True if that instance is not the leader: the settings of an index that exists stay. */
  readonly isForNewIndex?: boolean
}

type ChangeFlags = Pick<SettingsContent, 'isDeletion' | 'allowIndexCreation'>

const membersOfChange = (
  content: string | Uint8Array,
  { isDeletion, allowIndexCreation }: ChangeFlags,
): Partial<RecordMembers> => ({
  flags: flagIf(isDeletion, FLAG_RESET) | flagIf(allowIndexCreation, FLAG_MAY_CREATE),
  content,
})

/** Encodes a change of settings from the JSON of its patch. */
export const encodedSettings = (json: Uint8Array, flags: ChangeFlags): EncodedContent => ({
  kind: 'settingsUpdate',
  encoded: membersOfChange(json, flags),
})

type ImportFlags = Pick<SettingsContent, 'isWhole' | 'isForNewIndex'>

function importFlags({ metadata }: EnqueuedView): ImportFlags {
  const { network } = unpackMetadata(metadata)
  if (network?.kind !== 'import') return {}
  const isOfLeader = network.source.remoteName === network.change.remoteName
  return { isWhole: true, ...(isOfLeader ? {} : { isForNewIndex: true }) }
}

/**
 * Decoded contents, cached for as long as the queue holds the record: a batch decodes its change
 * for its plan, its run and its details, clients poll its task, and decoding many synonyms takes
 * long.
 */
const cachedContents = new WeakMap<EnqueuedView, SettingsContent>()

export const settingsUpdate: TaskKind<SettingsContent> = {
  name: 'settingsUpdate',
  number: 3,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'settings' },

  // The other members follow from the origin of the task.
  encode: ({ patch, ...rest }) => membersOfChange(JSON.stringify(patch), rest),
  decode: (view) => {
    const cached = cachedContents.get(view)
    if (cached !== undefined) return cached
    const content: SettingsContent = {
      kind: 'settingsUpdate',
      patch: contentAs(anyObject, view),
      isDeletion: (view.flags & FLAG_RESET) !== 0,
      allowIndexCreation: (view.flags & FLAG_MAY_CREATE) !== 0,
      ...importFlags(view),
    }
    cachedContents.set(view, content)
    return content
  },

  enqueuedDetails: (view) => detailsOf(settingsUpdate.decode(view).patch as SettingsPatch),

  runs: { settings: runSettings, clearAndSettings: runSettings },

  dump: {
    needsIndex: true,
    tags: {
      settings: (members, place) => ({
        kind: 'settingsUpdate',
        patch: settingsPatch(members['settings'], place) as SettingsPatch &
          SettingsContent['patch'],
        isDeletion: members['is_deletion'] === true,
        allowIndexCreation: members['allow_index_creation'] !== false,
      }),
    },
    type: ({ patch, isDeletion, allowIndexCreation }) => ({
      settings: {
        settings: patch,
        is_deletion: isDeletion,
        allow_index_creation: allowIndexCreation,
      },
    }),
    typeOfDetails: (details) => ({
      settings: { settings: details, is_deletion: false, allow_index_creation: true },
    }),
    details: (details, content) => ({ SettingsUpdate: { settings: content?.patch ?? details } }),
    detailsTags: {
      SettingsUpdate: (members, place) =>
        detailsOf(membersOf(members['settings'] ?? {}, place) as SettingsPatch),
    },
  },
}

/**
 * Runs batches of settings, of clears, and of both together. An index that the batch should create
 * is created even if the settings fail; a failed import of documents also creates its index
 * (recorded).
 */
export async function runSettings(
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
): Promise<BatchEnd> {
  const { manifest, now } = environment
  const uid = plan.work.indexUid!
  const target = batchTarget(manifest, uid, plan.work.mayCreate)
  if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
  try {
    return await runOn(target, environment, plan, control)
  } catch (error) {
    const created = target.created(now())
    if (!(error instanceof EngineFault) || created.length === 0) throw error
    const { code, message } = error
    const failed = allFailed(plan, { code, message })
    return commitBatch(environment, control, failed, null, () => created)
  }
}

async function runOn(
  target: BatchTarget,
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
): Promise<BatchEnd> {
  const { views, manifest, templates, now } = environment
  const uid = plan.work.indexUid!
  const clears = plan.work.kind !== 'settings'
  const before = target.settings
  const known = manifest.state.indexes.get(target.index)
  const after = await patchedSettings(plan, target, known === undefined, templates)
  await tryEmbedders(environment, uid, before.embedders, after.embedders, control.signal)
  using lease = views.lease(target.index)
  const settings = encodeSettings(after)
  const embedding = embeddingSession(environment, after.embedders, control)
  try {
    const documents = known === undefined ? 0 : documentCount(known)
    const result = clears ? clearSucceeded(plan, documents) : allSucceeded(plan)
    const layers = layersAffected(before, after, known?.fields ?? [])
    const rebuilds = !clears && lease !== null && documents > 0 && layers.length > 0
    const hooks = hooksOf(control, 'processing settings changes', embedding)
    const rebuilt = rebuilds
      ? await rebuild(environment, lease.ref, settings, layers, hooks)
      : { segments: [], fieldsAdded: [], fieldCounts: [], vectorCounts: null }
    const isChanged = settings !== target.view.settings
    const parts = rebuilt.segments.length
    const congestion =
      clears || documents === 0 ? {} : { writeChannelCongestion: congestionOf(parts) }
    const done = { ...congestion, ...requestsOf(embedding) }
    const built = { segments: rebuilt.segments, target }
    return await commitBatch(environment, control, { ...result, ...done }, built, (state) => {
      const { index } = target
      const at = now()
      const changes = target.created(at)
      if (isChanged) changes.push({ kind: 'settings-set', index, settings })
      const current = state.indexes.get(index)
      if (clears && current !== undefined) changes.push(...clearChanges(current))
      if (rebuilds && current !== undefined) {
        changes.push(...layersRemoved(current, layers), ...rebuiltChanges(current, rebuilt))
      }
      changes.push({ kind: 'index-touched', index, at })
      return changes
    })
  } catch (error) {
    return failedWith(withIndexName(uid, error), plan, embedding)
  }
}

function rebuild(
  { indexing, chunkBytesMax }: TaskEnvironment,
  view: ViewRef,
  settings: string,
  layers: readonly Layer[],
  hooks: ReturnType<typeof hooksOf>,
): Promise<Rebuilt> {
  const request = { kind: 'rebuild', view, settings, layers, chunkBytesMax } as const
  return indexing.run(request, hooks)
}

/** Returns the settings after all changes of a batch, applied in order. @throws EngineFault */
async function patchedSettings(
  plan: BatchPlan,
  target: BatchTarget,
  isNew: boolean,
  templates: Templates,
): Promise<IndexSettings> {
  let { settings } = target
  let exists = !isNew
  for (const { content, role } of runningTasks(plan)) {
    if (role !== 'settings') continue
    try {
      const { isWhole, isForNewIndex, ...sent } = content as SettingsContent
      if (exists && isForNewIndex === true) continue
      exists = true
      const patch = sent.patch as SettingsPatch
      await checkTemplate(patch.chat?.documentTemplate ?? null, templates)
      const from = isWhole === true ? applyPatch(settings, resetPatch()).settings : settings
      settings = applyPatch(from, patch).settings
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      throw new EngineFault(error.code, `Index \`${target.view.uid}\`: ${error.message}`)
    }
  }
  return settings
}

/** @throws EngineFault invalid_chat_setting_document_template */
async function checkTemplate(text: string | null, templates: Templates): Promise<void> {
  if (text === null) return
  const outcome = await templates.run({ source: text, input: null }, { isOurs: true })
  if (outcome.kind !== 'fault') return
  throw new EngineFault(
    'invalid_chat_setting_document_template',
    '`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: ' +
      `liquid: ${outcome.words}.`,
  )
}
