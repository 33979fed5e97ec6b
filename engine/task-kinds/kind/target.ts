// The index that a batch works on, or the index that it creates.
import type { IndexNo, IndexUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import {
  cachedSettings,
  defaultSettings,
  encodeSettings,
  type IndexSettings,
} from '../../settings/index.ts'
import { indexOfUid, type Manifest } from '../../store/catalog/index.ts'
import { type ViewRef, viewRef } from '../../store/views/index.ts'
import type { Micros } from '../../write/task-data/index.ts'

export type BatchTarget = {
  readonly index: IndexNo
  readonly view: ViewRef
  /** Decoded on access: it may have a megabyte of synonyms. */
  readonly settings: IndexSettings
  /** Returns the change that creates the index, or no changes if it exists. */
  readonly created: (at: Micros) => Change[]
}

/** Returns null if there is no index of that name and the batch may not create one. */
export function batchTarget(
  manifest: Manifest,
  uid: IndexUid,
  mayCreate: boolean,
): BatchTarget | null {
  const known = indexOfUid(manifest.state, uid)
  if (known !== undefined) {
    return {
      index: known.index,
      view: viewRef(known, manifest.state.sequence),
      get settings() {
        return cachedSettings(known.settings)
      },
      created: () => [],
    }
  }
  return mayCreate ? newTarget(manifest, uid) : null
}

/** Returns a target that the edit of the batch creates. */
export function newTarget(manifest: Manifest, uid: IndexUid): BatchTarget {
  const index = manifest.takeIndex()
  const settings = encodeSettings(defaultSettings())
  const view = {
    index,
    uid,
    sequence: 0,
    primaryKey: null,
    fields: [],
    settings,
    segments: [],
  }
  const created = (at: Micros): Change[] => [
    { kind: 'index-created', index, uid, primaryKey: null, at, settings },
  ]
  return { index, view, settings: defaultSettings(), created }
}
