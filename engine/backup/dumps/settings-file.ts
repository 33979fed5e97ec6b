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
 * A change of settings as it may be applied: known settings only, left-out members filled in.
 * `place` is for the message of a failure. @throws DumpError when it is not an object
 */
export const settingsPatch = (value: unknown, place: string): SettingsPatch =>
  dumpedPatch(membersOf(value, place))

/** The settings that a patch makes of the defaults. @throws DumpError, EngineFault */
export function settingsOf(patch: SettingsPatch, place: string): IndexSettings {
  try {
    const problem = dumpedPatchProblem(patch)
    if (problem !== null) corrupted(place, problem.replace(/\.$/, ''))
    const { settings } = applyPatch(defaultSettings(), patch)
    return decodeSettings(encodeSettings(withFragmentOrder(settings, patch)))
  } catch (error) {
    // Values of another form are met by code that expects theirs, or by the check of stored ones.
    const isOfAnotherForm = error instanceof CorruptionError || error instanceof TypeError
    if (!isOfAnotherForm) throw error
    return corrupted(place, 'a setting has not the shape that it must have')
  }
}
