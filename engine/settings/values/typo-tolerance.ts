// The words of a query that may match with typos.
import { count, flag, object, texts } from '../../../format/schema/index.ts'
import { EngineFault } from '../../model/index.ts'
import { mergeMember, type Partly, refuseLongWords, setting, sortedSet } from '../schema/index.ts'

type WordSizes = { readonly oneTypo: number; readonly twoTypos: number }
export type TypoTolerance = {
  readonly enabled: boolean
  readonly minWordSizeForTypos: WordSizes
  /** Normalised like terms. */
  readonly disableOnWords: readonly string[]
  readonly disableOnAttributes: readonly string[]
  readonly disableOnNumbers: boolean
}
export type TypoTolerancePatch = Partly<Omit<TypoTolerance, 'minWordSizeForTypos'>> & {
  readonly minWordSizeForTypos?: Partly<WordSizes> | null
}

const DEFAULT: TypoTolerance = {
  enabled: true,
  minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
  disableOnWords: [],
  disableOnAttributes: [],
  disableOnNumbers: false,
}

export const typoTolerance = setting<TypoTolerance, TypoTolerancePatch>()({
  code: 'invalid_settings_typo_tolerance',
  advice: 'send an object; `oneTypo` is not above `twoTypos`, both are at most 255.',
  change: 'members',
  default: DEFAULT,
  stored: object<TypoTolerance>({
    enabled: flag,
    minWordSizeForTypos: object<WordSizes>({ oneTypo: count, twoTypos: count }),
    disableOnWords: texts,
    disableOnAttributes: texts,
    disableOnNumbers: flag,
  }),
  check: ({ disableOnWords }) =>
    refuseLongWords('invalid_settings_typo_tolerance')(disableOnWords ?? []),
  merge(current, patch, text) {
    const { disableOnWords: words, disableOnAttributes: attributes } = patch
    return {
      enabled: mergeMember(patch.enabled, current.enabled, DEFAULT.enabled),
      minWordSizeForTypos: mergeSizes(current.minWordSizeForTypos, patch.minWordSizeForTypos),
      disableOnWords: mergeMember(
        words ? sortedSet(words.map(text.normalise)) : words,
        current.disableOnWords,
        DEFAULT.disableOnWords,
      ),
      disableOnAttributes: mergeMember(
        attributes ? sortedSet(attributes) : attributes,
        current.disableOnAttributes,
        DEFAULT.disableOnAttributes,
      ),
      disableOnNumbers: mergeMember(
        patch.disableOnNumbers,
        current.disableOnNumbers,
        DEFAULT.disableOnNumbers,
      ),
    }
  },
})

function mergeSizes(current: WordSizes, sizes: Partly<WordSizes> | null | undefined): WordSizes {
  const byDefault = DEFAULT.minWordSizeForTypos
  if (sizes === undefined) return current
  if (sizes === null) return byDefault
  const oneTypo = mergeMember(sizes.oneTypo, current.oneTypo, byDefault.oneTypo)
  const twoTypos = mergeMember(sizes.twoTypos, current.twoTypos, byDefault.twoTypos)
  const problem = typoSizesProblem(oneTypo, twoTypos)
  if (problem !== null) throw new EngineFault('invalid_settings_typo_tolerance', problem)
  return { oneTypo, twoTypos }
}

/** Returns the problem of two word sizes, or null. */
export function typoSizesProblem(oneTypo: number, twoTypos: number): string | null {
  if (oneTypo <= twoTypos) return null
  return (
    '`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be ' +
    'between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found ' +
    `\`oneTypo: ${oneTypo}\` and twoTypos: ${twoTypos}\`.`
  )
}
