// The settings of an index in a dump: the object that the API shows, with secrets in clear.
import { CorruptionError } from '../../../format/errors.ts'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  dumpedPatch,
  dumpedPatchProblem,
  encodeSettings,
  type IndexSettings,
  type SettingsPatch,
  transferSettings,
  withFragmentOrder,
} from '../../settings/index.ts'
import { corrupted, type Members, membersOf } from './dump-error.ts'

export const dumpedSettings = (settings: IndexSettings): Members => transferSettings(settings)

/**
 * Returns a change of settings that can be applied: known settings only, missing members filled in.
 * `place` is for messages. @throws DumpError if the value is not an object
 */
export const settingsPatch = (value: unknown, place: string): SettingsPatch =>
  dumpedPatch(membersOf(value, place))

/** Applies a patch to the default settings. @throws DumpError, EngineFault */
export function settingsOf(patch: SettingsPatch, place: string): IndexSettings {
  try {
    const problem = dumpedPatchProblem(patch)
    if (problem !== null) corrupted(place, problem.replace(/\.$/, ''))
    const { settings } = applyPatch(defaultSettings(), patch)
    return decodeSettings(encodeSettings(withFragmentOrder(settings, patch)))
  } catch (error) {
    // Values of another form fail in code that reads them, or in the check of stored settings.
    const isOfAnotherForm = error instanceof CorruptionError || error instanceof TypeError
    if (!isOfAnotherForm) throw error
    return corrupted(place, 'a setting does not have its form')
  }
}
