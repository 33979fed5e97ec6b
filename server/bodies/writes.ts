// Reads the bodies of writes that may be large, as far as the main thread needs them: all checks
// are made, in the order in which faults are reported, and the part that is stored with the task is
// already JSON.

import {
  checkPatch,
  checkPatchFeatures,
  compileScript,
  type Features,
  featureRefusal,
  filterWording,
  parseRequiredFilter,
  ScriptSyntaxError,
  type SettingName,
  type SettingsPatch,
} from '../../engine/index.ts'
import { encoder } from '../../format/bytes/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import * as parse from '../parse/index.ts'
import { checkIndexUid, schemaOf, withSchema } from '../parse/schema/index.ts'

/** The context that the checks need. */
export type WriteTarget = { readonly indexUid: IndexUid; readonly features: Features }

const jsonOf = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value))

/**
 * Returns the ids of `documents/delete-batch` as a JSON list of strings, and their number. @throws
 * ApiError
 */
export function readDeletedIds(body: Uint8Array): {
  readonly count: number
  readonly json: Uint8Array
} {
  const ids = parse.readDeleteBatch(body)
  return { count: ids.length, json: jsonOf(ids) }
}

withSchema(readDeletedIds, () => schemaOf(parse.readDeleteBatch))

/** Returns the filter of `documents/delete` as JSON. @throws ApiError, EngineFault */
export function readDeletionFilter(body: Uint8Array, target: WriteTarget): Uint8Array {
  const { filter } = parse.readDeletion(body)
  checkIndexUid(target.indexUid)
  checkFilter(filter, 'deletion', target)
  return jsonOf(filter)
}

withSchema(readDeletionFilter, () => schemaOf(parse.readDeletion))

/** Returns the members of an edit by function as JSON. @throws ApiError, EngineFault */
export function readEdition(body: Uint8Array, target: WriteTarget): Uint8Array {
  const edition = parse.readEdition(body)
  checkEditionFeature(target.features)
  checkIndexUid(target.indexUid)
  checkScript(edition.function)
  parse.checkContext(edition)
  if (edition.filter !== null) checkFilter(edition.filter, 'edition', target)
  return jsonOf(edition)
}

withSchema(readEdition, () => schemaOf(parse.readEdition))

/**
 * Checks only the syntax; fields and settings are checked when the task runs. @throws EngineFault
 */
function checkFilter(
  filter: unknown,
  what: 'deletion' | 'edition',
  { indexUid, features }: WriteTarget,
): void {
  const wording = filterWording(what, 'parsing', indexUid)
  parseRequiredFilter(filter, { wording, features, takesForeign: false })
}

/** @throws ApiError */
function checkEditionFeature(features: Features): void {
  if (features.editDocumentsByFunction) return
  const message = featureRefusal('editDocumentsByFunction', 'Using the documents edit route')
  throw new ApiError('feature_not_enabled', message)
}

/** @throws ApiError */
function checkScript(script: string): void {
  try {
    compileScript(script)
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error
    throw new ApiError('bad_request', error.message)
  }
}

/** `setting`: the only setting in the body, or null if the body names its settings. */
export type SettingsTarget = WriteTarget & { readonly setting: SettingName | null }

/** A change of settings. */
export type SettingsChange = {
  /** The patch as JSON. */
  readonly json: Uint8Array
  /** The templates of its embedders, which are still to be checked. */
  readonly templates: readonly DocumentTemplate[]
}
export type DocumentTemplate = { readonly place: string; readonly text: string }

/** Reads a change of several settings, or of the named one. @throws ApiError, EngineFault */
export function readSettingsChange(
  body: Uint8Array,
  { setting, ...target }: SettingsTarget,
): SettingsChange {
  const patch = setting === null ? parse.readSettings(body) : parse.readSetting(setting, body)
  checkIndexUid(target.indexUid)
  checkPatchFeatures(patch, target.features)
  checkPatch(patch)
  return { json: jsonOf(patch), templates: [...documentTemplates(patch)] }
}

/** Yields the templates of embedders, including nested ones. */
function* documentTemplates(patch: SettingsPatch): Iterable<DocumentTemplate> {
  for (const [name, embedder] of Object.entries(patch.embedders ?? {})) {
    const places = [
      [`embedders.${name}`, embedder],
      [`embedders.${name}.searchEmbedder`, embedder?.searchEmbedder],
      [`embedders.${name}.indexingEmbedder`, embedder?.indexingEmbedder],
    ] as const
    for (const [place, part] of places) {
      const text = part?.documentTemplate
      if (typeof text === 'string') yield { place: `.${place}.documentTemplate`, text }
    }
  }
}
