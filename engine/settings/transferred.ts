// Settings that come from dumps, of this version and of older ones. Any JSON may be in them.
import { SETTING_NAMES, type SettingsPatch, settingNamed } from './types.ts'

type Members = { readonly [name: string]: unknown }

/** Settings of an older dump under the names and in the form of today; unknown ones stay. */
export function newerSettings(given: Members): Members {
  const newer: { [name: string]: unknown } = { ...given }
  for (const name of SETTING_NAMES) {
    const { olderNames = [], fromOlderDump } = settingNamed(name)
    for (const older of olderNames) {
      if (newer[older] !== undefined) newer[name] ??= newer[older]
      delete newer[older]
    }
    if (newer[name] !== undefined && fromOlderDump !== undefined) {
      newer[name] = fromOlderDump(newer[name])
    }
    if (newer[name] === undefined) delete newer[name]
  }
  return newer
}

/** A change as it may be applied: known settings only, left-out members filled in. Not checked. */
export function dumpedPatch(given: Members): SettingsPatch {
  const patch: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    if (given[name] === undefined) continue
    const { fromDump } = settingNamed(name)
    patch[name] = fromDump === undefined ? given[name] : fromDump(given[name])
  }
  return patch
}

/** What is wrong with a patch of a dump that no request could hold; null: nothing. */
export function dumpedPatchProblem(patch: SettingsPatch): string | null {
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given === undefined || given === null) continue
    const problem = settingNamed(name).dumpProblem?.(given) ?? null
    if (problem !== null) return problem
  }
  return null
}
