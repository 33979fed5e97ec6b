// Reads command lines that contain only known options, which is nearly all of them.
import { flagName } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'

/** Option → its text as it was written. */
export type OptionTexts = ReadonlyMap<OptionName, string>

/** Options by flag, including aliases. */
export const BY_FLAG: ReadonlyMap<string, OptionName> = byFlag()

function byFlag(): Map<string, OptionName> {
  const flags = new Map<string, OptionName>()
  for (const name of OPTION_NAMES) {
    const { environmentOnly, alias } = OPTIONS[name]
    if (environmentOnly === true) continue
    flags.set(flagName(name), name)
    if (alias !== undefined) flags.set(flagName(alias), name)
  }
  return flags
}

/** Returns null if a word is not a plain option. */
export function readPlainly(words: readonly string[]): OptionTexts | null {
  const given = new Map<OptionName, string>()
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (!word.startsWith('--')) return null
    const equals = word.indexOf('=')
    const name = BY_FLAG.get(word.slice(2, equals < 0 ? undefined : equals))
    if (name === undefined || given.has(name)) return null
    const { isFlag, bare } = OPTIONS[name].type
    const next = words[i + 1]
    if (equals >= 0) {
      if (isFlag) return null
      given.set(name, word.slice(equals + 1))
    } else if (isFlag) given.set(name, 'true')
    else if (next !== undefined && !next.startsWith('-')) {
      given.set(name, next)
      i++
    } else if (bare !== undefined) given.set(name, bare)
    else return null
  }
  return given
}
