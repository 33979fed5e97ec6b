// Settings from dumps, of this version and of older ones. They may contain any JSON.
import { SETTING_NAMES, type SettingsPatch, settingNamed } from './types.ts'

type Members = { readonly [name: string]: unknown }

/** Converts settings of an older dump to the present names and forms; keeps unknown ones. */
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

/**
 * Converts dumped settings to a change: known settings only, absent members filled in. Not checked.
 */
export function dumpedPatch(given: Members): SettingsPatch {
  const patch: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    if (given[name] === undefined) continue
    const { fromDump } = settingNamed(name)
    patch[name] = fromDump === undefined ? given[name] : fromDump(given[name])
  }
  return patch
}

/** Returns the problem of a dumped patch that no request could contain, or null. */
export function dumpedPatchProblem(patch: SettingsPatch): string | null {
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given === undefined || given === null) continue
    const problem = settingNamed(name).dumpProblem?.(given) ?? null
    if (problem !== null) return problem
  }
  return null
}
